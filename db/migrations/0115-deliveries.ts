import type { Migration } from "./columns.ts";

/**
 * Limits of waiting deliveries: up to which change a webhook receives changes, and why a webhook or notice rule was
 * disabled.
 */
export const deliveries: Migration = {
  id: "0115-deliveries",
  statements: [
    // acceptsUntil: number of the last change for which deliveries are written until the server raises the limit. In
    // rows of a release without limits, null means no limit until a newer server sets a limit.
    `alter table webhook add column if not exists "acceptsUntil" bigint`,
    `alter table webhook add column if not exists error text`,
    `alter table "noticeRule" add column if not exists error text`,
  ],
};
