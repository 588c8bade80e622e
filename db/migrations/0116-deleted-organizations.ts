import type { Migration } from "./columns.ts";

/** A restore of an older backup deletes these organizations again. The table contains only ids. */
export const deletedOrganizations: Migration = {
  id: "0116-deleted-organizations",
  statements: [
    `create table if not exists "deletedOrganization" (
      id uuid primary key,
      "deletedAt" timestamptz(3) not null
    )`,
    `insert into "deletedOrganization" select id, "deletedAt" from organization where "deletedAt" is not null on conflict do nothing`,
  ],
};
