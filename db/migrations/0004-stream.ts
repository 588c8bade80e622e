import type { Migration } from "./index.ts";

/** What the streams need beside the change log: the queue of deliveries, read webhook by webhook. */
export const stream: Migration = {
  id: "0004-stream",
  statements: [
    // Attempts since a delivery was written or asked for again: the schedule counts these, the log keeps them all.
    `alter table delivery add column if not exists tries integer not null default 0`,
    // The claim is a loose index scan over this, so that the backlog of a dead webhook is never read through.
    `create index if not exists delivery_pending on delivery ("webhookId", "nextAttemptAt") where status = 'pending'`,
    `drop index if exists delivery_due`,
  ],
};
