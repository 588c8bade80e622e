import type { Migration } from "./columns.ts";

/** Null where nobody has proved yet that the account's e-mail address is theirs. */
export const provedAddresses: Migration = {
  id: "0114-proved-addresses",
  statements: [`alter table account add column if not exists "emailProvedAt" timestamptz(3)`],
};
