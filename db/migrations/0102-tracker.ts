import { IDS, link, type Migration, TIMES } from "./columns.ts";

/** Teams, projects, cycles and labels: every table's key begins with the organization. */
export const tracker: Migration = {
  id: "0102-tracker",
  statements: [
    `create table if not exists team (
      ${IDS}, key text not null, name text not null, description text, color text, icon text,
      private boolean not null default false,
      "issueCounter" integer not null default 0, "cycleCounter" integer not null default 0,
      "defaultStateId" uuid not null, ${TIMES},
      "readyStateTypes" text[] not null default '{triage,backlog,unstarted}',
      "leaseCostLimit" double precision, "leaseTokenLimit" bigint, "leaseMinuteLimit" integer, "leaseEqualCallLimit" integer,
      proof json,
      primary key ("organizationId", id),
      constraint team_key_key unique ("organizationId", key)
    )`,
    `create index if not exists team_created on team ("organizationId", "createdAt", id)`,
    // Lists of rows that belong to teams leave out those of the few teams in the trash.
    `create index if not exists team_trashed on team ("organizationId", "archivedAt", id) where "archivedAt" is not null`,
    // Every key a team ever had, so that old identifiers still resolve. Those of a deleted team stay: its issues may have moved.
    `create table if not exists "teamKey" (
      "organizationId" uuid not null, key text not null, "teamId" uuid not null,
      primary key ("organizationId", key)
    )`,
    `create table if not exists "workflowState" (
      ${IDS}, "teamId" uuid not null, name text not null, type text not null, color text not null, description text,
      position double precision not null, ${TIMES},
      primary key ("organizationId", id), ${link("teamId", "team")}
    )`,
    `create index if not exists workflow_state_team on "workflowState" ("organizationId", "teamId", "createdAt", id)`,
    `create index if not exists workflow_state_created on "workflowState" ("organizationId", "createdAt", id)`,
    `create table if not exists "projectStatus" (
      ${IDS}, name text not null, type text not null, color text not null, description text,
      position double precision not null, indefinite boolean not null default false, ${TIMES},
      primary key ("organizationId", id)
    )`,
    `create table if not exists project (
      ${IDS}, name text not null, description text not null default '', content text, icon text, color text not null,
      "statusId" uuid not null, "leadId" uuid, "creatorId" uuid, priority integer not null default 0,
      "startDate" date, "targetDate" date, "startedAt" timestamptz(3), "completedAt" timestamptz(3),
      "canceledAt" timestamptz(3), "sortOrder" double precision not null default 0, trashed boolean, ${TIMES},
      primary key ("organizationId", id), ${link("statusId", "projectStatus")}, ${link("leadId", "user")},
      ${link("creatorId", "user")}
    )`,
    `create index if not exists project_created on project ("organizationId", "createdAt", id)`,
    `create index if not exists project_updated on project ("organizationId", "updatedAt", id)`,
    // The purge of the trash looks across organizations.
    `create index if not exists project_trash on project ("archivedAt") where trashed`,
    `create table if not exists "projectTeam" (
      "organizationId" uuid not null, "projectId" uuid not null, "teamId" uuid not null,
      primary key ("organizationId", "projectId", "teamId"), ${link("projectId", "project")}, ${link("teamId", "team")}
    )`,
    `create index if not exists project_team_team on "projectTeam" ("organizationId", "teamId", "projectId")`,
    `create table if not exists "projectMember" (
      "organizationId" uuid not null, "projectId" uuid not null, "userId" uuid not null,
      primary key ("organizationId", "projectId", "userId"), ${link("projectId", "project")}, ${link("userId", "user")}
    )`,
    `create table if not exists "projectMilestone" (
      ${IDS}, "projectId" uuid not null, name text not null, "targetDate" date, ${TIMES},
      primary key ("organizationId", id), ${link("projectId", "project")}
    )`,
    `create index if not exists milestone_created on "projectMilestone" ("organizationId", "createdAt", id)`,
    `create index if not exists milestone_project on "projectMilestone" ("organizationId", "projectId", "createdAt", id)`,
    `create table if not exists cycle (
      ${IDS}, "teamId" uuid not null, number integer not null, name text, description text,
      "startsAt" timestamptz(3) not null, "endsAt" timestamptz(3) not null, "completedAt" timestamptz(3), ${TIMES},
      primary key ("organizationId", id), ${link("teamId", "team")},
      constraint cycle_number_key unique ("organizationId", "teamId", number)
    )`,
    `create index if not exists cycle_team on cycle ("organizationId", "teamId", "createdAt", id)`,
    `create table if not exists "issueLabel" (
      ${IDS}, "teamId" uuid, "parentId" uuid, "creatorId" uuid, name text not null, description text,
      color text not null, "isGroup" boolean not null default false, ${TIMES},
      primary key ("organizationId", id), ${link("teamId", "team")}, ${link("parentId", "issueLabel")},
      ${link("creatorId", "user")}
    )`,
    `create index if not exists issue_label_team on "issueLabel" ("organizationId", "teamId", "createdAt", id)`,
    `create index if not exists issue_label_created on "issueLabel" ("organizationId", "createdAt", id)`,
    `create table if not exists "customView" (
      ${IDS}, name text not null, description text, icon text, color text, shared boolean not null,
      "filterData" json not null, "ownerId" uuid not null, "creatorId" uuid, "teamId" uuid, "projectId" uuid, ${TIMES},
      primary key ("organizationId", id), ${link("ownerId", "user")}, ${link("creatorId", "user")},
      ${link("teamId", "team")}, ${link("projectId", "project")}
    )`,
    `create index if not exists custom_view_created on "customView" ("organizationId", "createdAt", id)`,
    `create table if not exists template (
      ${IDS}, name text not null, description text, icon text, color text, type text not null,
      "templateData" json not null, "sortOrder" double precision not null, "teamId" uuid, "creatorId" uuid, ${TIMES},
      primary key ("organizationId", id), ${link("teamId", "team")}, ${link("creatorId", "user")}
    )`,
    `create index if not exists template_created on template ("organizationId", "createdAt", id)`,
    `create index if not exists template_team on template ("organizationId", "teamId", "createdAt", id)`,
    // People without an account, whom an import brings along.
    `create table if not exists "externalUser" (
      ${IDS}, name text not null, "displayName" text not null, email text, ${TIMES},
      primary key ("organizationId", id)
    )`,
    // One a name and address: the same person in two files is one.
    `create unique index if not exists external_user_name_key
      on "externalUser" ("organizationId", name, (coalesce(email, '')))`,
    `create index if not exists external_user_created on "externalUser" ("organizationId", "createdAt", id)`,
    // The ids that things had before an import. A source of '' holds identifiers of issues that are no key for another import.
    `create table if not exists "externalId" (
      "organizationId" uuid not null references organization (id), type text not null, source text not null,
      "externalId" text not null, "entityId" uuid not null,
      primary key ("organizationId", type, source, "externalId")
    )`,
    `create index if not exists external_id_entity on "externalId" ("organizationId", "entityId")`,
    `create index if not exists external_id_name on "externalId" ("organizationId", lower("externalId")) where type = 'Issue'`,
    // Ids that clients chose, with a hash of the input they came with: the same again is the same entity.
    `create table if not exists "clientId" (
      "organizationId" uuid not null, id uuid not null, "inputHash" bytea not null,
      primary key ("organizationId", id)
    )`,
    `create table if not exists idempotency (
      "organizationId" uuid not null, "userId" uuid not null, key text not null, field text not null,
      "inputHash" bytea not null, outcome json not null, "lastSyncId" bigint not null, "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "userId", key, field)
    )`,
    // Keys are forgotten organization by organization, the oldest first.
    `create index if not exists idempotency_age on idempotency ("organizationId", "createdAt")`,
  ],
};
