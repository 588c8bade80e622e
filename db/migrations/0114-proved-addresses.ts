import type { Migration } from "./columns.ts";

/** Time at which the owner of an account proved the email address. Null if the address is not proved. */
export const provedAddresses: Migration = {
  id: "0114-proved-addresses",
  statements: [`alter table account add column if not exists "emailProvedAt" timestamptz(3)`],
};
