import type { Migration } from "./index.ts";

/** A foreign key that a second run finds there. */
const link = (table: string, column: string): string => `do $$ begin
  alter table ${table} add constraint "${table}_organizationId_${column}_fkey"
    foreign key ("organizationId", "${column}") references "externalUser" ("organizationId", id);
exception when duplicate_object then null;
end $$`;

/** What an import brings along: people without an account, and the ids that things had where they come from. */
export const imports: Migration = {
  id: "0020-import",
  statements: [
    `create table if not exists "externalUser" (
      "organizationId" uuid not null references organization (id), id uuid not null,
      name text not null, "displayName" text not null, email text,
      "createdAt" timestamptz(3) not null, "updatedAt" timestamptz(3) not null, "archivedAt" timestamptz(3),
      primary key ("organizationId", id)
    )`,
    // One a name and address: the same person in two files is one.
    `create unique index if not exists external_user_name_key
      on "externalUser" ("organizationId", name, (coalesce(email, '')))`,
    `create index if not exists external_user_created on "externalUser" ("organizationId", "createdAt", id)`,
    `alter table issue
      add column if not exists "externalUserCreatorId" uuid,
      add column if not exists "externalUserAssigneeId" uuid`,
    `alter table comment add column if not exists "externalUserId" uuid`,
    link("issue", "externalUserCreatorId"),
    link("issue", "externalUserAssigneeId"),
    link("comment", "externalUserId"),
    // A source of '' holds identifiers that an issue had elsewhere, which are no key for another import.
    `create table if not exists "externalId" (
      "organizationId" uuid not null references organization (id), type text not null, source text not null,
      "externalId" text not null, "entityId" uuid not null,
      primary key ("organizationId", type, source, "externalId")
    )`,
    `create index if not exists external_id_entity on "externalId" ("organizationId", "entityId")`,
    `create index if not exists external_id_name on "externalId" ("organizationId", lower("externalId")) where type = 'Issue'`,
  ],
};
