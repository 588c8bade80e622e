import type { Migration } from "./index.ts";

/**
 * How many signs of life a session had given when its lease was looked at last: their growth tells that it records, which
 * no clock of a server can tell wrong. `unsure` is a session that came through a server whose clock is.
 */
export const leaseSigns: Migration = {
  id: "0028-lease-signs",
  statements: [
    `alter table "issueLease" add column if not exists signs bigint, add column if not exists events bigint,
      add column if not exists unsure boolean not null default false, add column if not exists "lookedAt" timestamptz(3)`,
  ],
};
