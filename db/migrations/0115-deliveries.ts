import type { Migration } from "./columns.ts";

/** Limits on deliveries that wait: how far a webhook may receive changes, and why it or a rule of notices was disabled. */
export const deliveries: Migration = {
  id: "0115-deliveries",
  statements: [
    // acceptsUntil: a change with a greater number writes no delivery until the webhook is given room for more. Null in rows
    // of a release that knows no limit: no limit, until a server of this one gives it one.
    `alter table webhook add column if not exists "acceptsUntil" bigint`,
    `alter table webhook add column if not exists error text`,
    `alter table "noticeRule" add column if not exists error text`,
  ],
};
