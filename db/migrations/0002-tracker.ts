import type { Migration } from "./index.ts";

const ids = `"organizationId" uuid not null references organization (id), id uuid not null`;
const times = `"createdAt" timestamptz(3) not null, "updatedAt" timestamptz(3) not null, "archivedAt" timestamptz(3)`;

/** A foreign key between tenant tables carries the organization, so no row can point into another's. */
const link = (column: string, table: string) =>
  `foreign key ("organizationId", "${column}") references "${table}" ("organizationId", id)`;

/** The tracker: every table's key begins with the organization; the change log is written beside every row. */
export const tracker: Migration = {
  id: "0002-tracker",
  statements: [
    `create table if not exists team (
      ${ids}, key text not null, name text not null, description text, color text, icon text,
      private boolean not null default false,
      "issueCounter" integer not null default 0, "cycleCounter" integer not null default 0,
      "defaultStateId" uuid not null, ${times},
      primary key ("organizationId", id),
      constraint team_key_key unique ("organizationId", key)
    )`,
    `create index if not exists team_created on team ("organizationId", "createdAt", id)`,
    // Every key a team ever had: a renamed team's old identifiers still resolve, and its old key stays its own.
    `create table if not exists "teamKey" (
      "organizationId" uuid not null, key text not null, "teamId" uuid not null,
      primary key ("organizationId", key), ${link("teamId", "team")}
    )`,
    `create table if not exists "workflowState" (
      ${ids}, "teamId" uuid not null, name text not null, type text not null, color text not null, description text,
      position double precision not null, ${times},
      primary key ("organizationId", id), ${link("teamId", "team")}
    )`,
    `create index if not exists workflow_state_team on "workflowState" ("organizationId", "teamId", "createdAt", id)`,
    `create index if not exists workflow_state_created on "workflowState" ("organizationId", "createdAt", id)`,
    `create table if not exists "projectStatus" (
      ${ids}, name text not null, type text not null, color text not null, description text,
      position double precision not null, indefinite boolean not null default false, ${times},
      primary key ("organizationId", id)
    )`,
    `create table if not exists project (
      ${ids}, name text not null, description text not null default '', content text, icon text, color text not null,
      "statusId" uuid not null, "leadId" uuid, "creatorId" uuid, priority integer not null default 0,
      "startDate" date, "targetDate" date, "startedAt" timestamptz(3), "completedAt" timestamptz(3),
      "canceledAt" timestamptz(3), "sortOrder" double precision not null default 0, trashed boolean, ${times},
      primary key ("organizationId", id), ${link("statusId", "projectStatus")}, ${link("leadId", "user")},
      ${link("creatorId", "user")}
    )`,
    `create index if not exists project_created on project ("organizationId", "createdAt", id)`,
    `create index if not exists project_updated on project ("organizationId", "updatedAt", id)`,
    `create table if not exists "projectTeam" (
      "organizationId" uuid not null, "projectId" uuid not null, "teamId" uuid not null,
      primary key ("organizationId", "projectId", "teamId"), ${link("projectId", "project")}, ${link("teamId", "team")}
    )`,
    `create index if not exists project_team_team on "projectTeam" ("organizationId", "teamId", "projectId")`,
    `create table if not exists "projectMember" (
      "organizationId" uuid not null, "projectId" uuid not null, "userId" uuid not null,
      primary key ("organizationId", "projectId", "userId"), ${link("projectId", "project")}, ${link("userId", "user")}
    )`,
    `create table if not exists cycle (
      ${ids}, "teamId" uuid not null, number integer not null, name text, description text,
      "startsAt" timestamptz(3) not null, "endsAt" timestamptz(3) not null, "completedAt" timestamptz(3), ${times},
      primary key ("organizationId", id), ${link("teamId", "team")},
      constraint cycle_number_key unique ("organizationId", "teamId", number)
    )`,
    `create index if not exists cycle_team on cycle ("organizationId", "teamId", "createdAt", id)`,
    `create table if not exists "issueLabel" (
      ${ids}, "teamId" uuid, "parentId" uuid, "creatorId" uuid, name text not null, description text,
      color text not null, "isGroup" boolean not null default false, ${times},
      primary key ("organizationId", id), ${link("teamId", "team")}, ${link("parentId", "issueLabel")},
      ${link("creatorId", "user")}
    )`,
    `create index if not exists issue_label_team on "issueLabel" ("organizationId", "teamId", "createdAt", id)`,
    `create index if not exists issue_label_created on "issueLabel" ("organizationId", "createdAt", id)`,
    `create table if not exists issue (
      ${ids}, "teamId" uuid not null, number integer not null, title text not null, description text,
      priority integer not null default 0, estimate integer, "sortOrder" double precision not null default 0,
      "stateId" uuid not null, "assigneeId" uuid, "creatorId" uuid, "parentId" uuid, "projectId" uuid, "cycleId" uuid,
      "dueDate" date, "previousIdentifiers" text[] not null default '{}', "startedAt" timestamptz(3),
      "completedAt" timestamptz(3), "canceledAt" timestamptz(3), trashed boolean, ${times},
      primary key ("organizationId", id), ${link("teamId", "team")}, ${link("stateId", "workflowState")},
      ${link("assigneeId", "user")}, ${link("creatorId", "user")}, ${link("parentId", "issue")},
      ${link("projectId", "project")}, ${link("cycleId", "cycle")},
      constraint issue_number_key unique ("organizationId", "teamId", number)
    )`,
    ...["", "teamId", "stateId", "assigneeId", "creatorId", "parentId", "projectId", "cycleId"].flatMap((parent) =>
      ["createdAt", "updatedAt"].map(
        (order) => `create index if not exists issue_${parent.toLowerCase() || "all"}_${order.slice(0, 7)}
          on issue ("organizationId", ${parent && `"${parent}", `}"${order}", id)`,
      ),
    ),
    // Identifiers an issue had before it moved to another team; they still resolve.
    `create table if not exists "issueAlias" (
      "organizationId" uuid not null, "teamId" uuid not null, number integer not null, "issueId" uuid not null,
      primary key ("organizationId", "teamId", number), ${link("issueId", "issue")}
    )`,
    `create table if not exists "issueLabelLink" (
      "organizationId" uuid not null, "issueId" uuid not null, "labelId" uuid not null,
      primary key ("organizationId", "issueId", "labelId"), ${link("issueId", "issue")}, ${link("labelId", "issueLabel")}
    )`,
    `create index if not exists issue_label_link_label on "issueLabelLink" ("organizationId", "labelId", "issueId")`,
    `create table if not exists comment (
      ${ids}, body text not null, "issueId" uuid, "projectId" uuid, "userId" uuid, "parentId" uuid,
      "editedAt" timestamptz(3), "resolvedAt" timestamptz(3), "resolvingUserId" uuid, ${times},
      primary key ("organizationId", id), ${link("issueId", "issue")}, ${link("projectId", "project")},
      ${link("userId", "user")}, ${link("parentId", "comment")}, ${link("resolvingUserId", "user")}
    )`,
    ...["", "issueId", "projectId", "parentId", "userId"].map(
      (parent) => `create index if not exists comment_${parent.toLowerCase() || "all"}
        on comment ("organizationId", ${parent && `"${parent}", `}"createdAt", id)`,
    ),
    `create index if not exists comment_updated on comment ("organizationId", "updatedAt", id)`,
    `create table if not exists change (
      "organizationId" uuid not null, "lastSyncId" bigint not null, type text not null, action text not null,
      event text not null, "entityId" uuid not null, "teamId" uuid, data json not null, "updatedFrom" json,
      actor json not null, "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "lastSyncId")
    )`,
    `create table if not exists webhook (
      ${ids}, label text, url text not null, "teamId" uuid, "resourceTypes" text[], enabled boolean not null default true,
      "secretEncrypted" bytea not null, "previousSecretEncrypted" bytea, "previousSecretUntil" timestamptz(3),
      "failingSince" timestamptz(3), "creatorId" uuid, ${times},
      primary key ("organizationId", id)
    )`,
    // The claim looks across organizations, so this queue needs no distribution; the change holds the content.
    `create table if not exists delivery (
      id uuid primary key, "organizationId" uuid not null, "webhookId" uuid not null, "lastSyncId" bigint not null,
      status text not null default 'pending', attempts jsonb not null default '[]', "nextAttemptAt" timestamptz(3),
      "leasedUntil" timestamptz(3), "createdAt" timestamptz(3) not null
    )`,
    `create index if not exists delivery_due on delivery ("nextAttemptAt") where status = 'pending'`,
    `create index if not exists delivery_webhook on delivery ("organizationId", "webhookId", "createdAt", id)`,
    `create table if not exists idempotency (
      "organizationId" uuid not null, "userId" uuid not null, key text not null, field text not null,
      "inputHash" bytea not null, outcome json not null, "lastSyncId" bigint not null, "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "userId", key, field)
    )`,
  ],
};
