import type { Migration } from "./index.ts";

/**
 * How many signs of life a session had given when its lease was looked at last. Their growth tells that it records, which
 * no clock of a server can tell wrong.
 */
export const leaseSigns: Migration = {
  id: "0028-lease-signs",
  statements: [
    `alter table "issueLease" add column if not exists signs bigint, add column if not exists "lookedAt" timestamptz(3)`,
  ],
};
