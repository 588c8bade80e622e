import type { Migration } from "./index.ts";

/** What the whole tracker needs beside its first tables. */
export const trackerMore: Migration = {
  id: "0005-tracker-more",
  statements: [
    // Ids that clients chose, with a hash of the input they came with: the same again is the same entity.
    `create table if not exists "clientId" (
      "organizationId" uuid not null, id uuid not null, "inputHash" bytea not null,
      primary key ("organizationId", id)
    )`,
    `create index if not exists idempotency_created on idempotency ("createdAt")`,
    `alter table organization add column if not exists "previousUrlKeys" text[] not null default '{}'`,
    `alter table comment add column if not exists "resolvingCommentId" uuid`,
    // The keys of a deleted team stay, so that the identifiers of issues that moved away still resolve.
    `alter table "teamKey" drop constraint if exists "teamKey_organizationId_teamId_fkey"`,
    // What the purge looks for, across organizations.
    `create index if not exists issue_trash on issue ("archivedAt") where trashed`,
    `create index if not exists project_trash on project ("archivedAt") where trashed`,
  ],
};
