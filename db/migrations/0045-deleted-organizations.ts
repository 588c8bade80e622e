import { builtConcurrently } from "./concurrently.ts";
import type { Migration } from "./index.ts";

/** An organization that is deleted says so from the first moment; its rows go in slices, by whichever server comes. */
export const deletedOrganizations: Migration = {
  id: "0045-deleted-organizations",
  statements: [
    'alter table organization add column if not exists "deletedAt" timestamptz(3)',
    ...builtConcurrently("organization_deleted", 'organization (id) where "deletedAt" is not null'),
  ],
};
