import { buildForeignKey, ID_COLUMNS, type Migration, TIME_COLUMNS } from "./columns.ts";

/** Teams, projects, cycles and labels. The primary key of every table begins with the organization. */
export const tracker: Migration = {
  id: "0102-tracker",
  statements: [
    `create table if not exists team (
      ${ID_COLUMNS}, key text not null, name text not null, description text, color text, icon text,
      private boolean not null default false,
      "issueCounter" integer not null default 0, "cycleCounter" integer not null default 0,
      "defaultStateId" uuid not null, ${TIME_COLUMNS},
      "readyStateTypes" text[] not null default '{triage,backlog,unstarted}',
      "leaseCostLimit" double precision, "leaseTokenLimit" bigint, "leaseMinuteLimit" integer, "leaseEqualCallLimit" integer,
      proof json,
      primary key ("organizationId", id),
      constraint team_key_key unique ("organizationId", key)
    )`,
    `create index if not exists team_created on team ("organizationId", "createdAt", id)`,
    // Lists of rows that belong to teams exclude the rows of teams in the trash, which are few.
    `create index if not exists team_trashed on team ("organizationId", "archivedAt", id) where "archivedAt" is not null`,
    // Every key that a team ever had, because old identifiers still resolve. The keys of a deleted team stay, because
    // issues may have moved to other teams.
    `create table if not exists "teamKey" (
      "organizationId" uuid not null, key text not null, "teamId" uuid not null,
      primary key ("organizationId", key)
    )`,
    `create table if not exists "workflowState" (
      ${ID_COLUMNS}, "teamId" uuid not null, name text not null, type text not null, color text not null, description text,
      position double precision not null, ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("teamId", "team")}
    )`,
    `create index if not exists workflow_state_team on "workflowState" ("organizationId", "teamId", "createdAt", id)`,
    `create index if not exists workflow_state_created on "workflowState" ("organizationId", "createdAt", id)`,
    `create table if not exists "projectStatus" (
      ${ID_COLUMNS}, name text not null, type text not null, color text not null, description text,
      position double precision not null, indefinite boolean not null default false, ${TIME_COLUMNS},
      primary key ("organizationId", id)
    )`,
    `create table if not exists project (
      ${ID_COLUMNS}, name text not null, description text not null default '', content text, icon text, color text not null,
      "statusId" uuid not null, "leadId" uuid, "creatorId" uuid, priority integer not null default 0,
      "startDate" date, "targetDate" date, "startedAt" timestamptz(3), "completedAt" timestamptz(3),
      "canceledAt" timestamptz(3), "sortOrder" double precision not null default 0, trashed boolean, ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("statusId", "projectStatus")}, ${buildForeignKey("leadId", "user")},
      ${buildForeignKey("creatorId", "user")}
    )`,
    `create index if not exists project_created on project ("organizationId", "createdAt", id)`,
    `create index if not exists project_updated on project ("organizationId", "updatedAt", id)`,
    // The purge of the trash reads all organizations.
    `create index if not exists project_trash on project ("archivedAt") where trashed`,
    `create table if not exists "projectTeam" (
      "organizationId" uuid not null, "projectId" uuid not null, "teamId" uuid not null,
      primary key ("organizationId", "projectId", "teamId"), ${buildForeignKey("projectId", "project")}, ${buildForeignKey("teamId", "team")}
    )`,
    `create index if not exists project_team_team on "projectTeam" ("organizationId", "teamId", "projectId")`,
    `create table if not exists "projectMember" (
      "organizationId" uuid not null, "projectId" uuid not null, "userId" uuid not null,
      primary key ("organizationId", "projectId", "userId"), ${buildForeignKey("projectId", "project")}, ${buildForeignKey("userId", "user")}
    )`,
    `create table if not exists "projectMilestone" (
      ${ID_COLUMNS}, "projectId" uuid not null, name text not null, "targetDate" date, ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("projectId", "project")}
    )`,
    `create index if not exists milestone_created on "projectMilestone" ("organizationId", "createdAt", id)`,
    `create index if not exists milestone_project on "projectMilestone" ("organizationId", "projectId", "createdAt", id)`,
    `create table if not exists cycle (
      ${ID_COLUMNS}, "teamId" uuid not null, number integer not null, name text, description text,
      "startsAt" timestamptz(3) not null, "endsAt" timestamptz(3) not null, "completedAt" timestamptz(3), ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("teamId", "team")},
      constraint cycle_number_key unique ("organizationId", "teamId", number)
    )`,
    `create index if not exists cycle_team on cycle ("organizationId", "teamId", "createdAt", id)`,
    `create table if not exists "issueLabel" (
      ${ID_COLUMNS}, "teamId" uuid, "parentId" uuid, "creatorId" uuid, name text not null, description text,
      color text not null, "isGroup" boolean not null default false, ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("teamId", "team")}, ${buildForeignKey("parentId", "issueLabel")},
      ${buildForeignKey("creatorId", "user")}
    )`,
    `create index if not exists issue_label_team on "issueLabel" ("organizationId", "teamId", "createdAt", id)`,
    `create index if not exists issue_label_created on "issueLabel" ("organizationId", "createdAt", id)`,
    `create table if not exists "customView" (
      ${ID_COLUMNS}, name text not null, description text, icon text, color text, shared boolean not null,
      "filterData" json not null, "ownerId" uuid not null, "creatorId" uuid, "teamId" uuid, "projectId" uuid, ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("ownerId", "user")}, ${buildForeignKey("creatorId", "user")},
      ${buildForeignKey("teamId", "team")}, ${buildForeignKey("projectId", "project")}
    )`,
    `create index if not exists custom_view_created on "customView" ("organizationId", "createdAt", id)`,
    `create table if not exists template (
      ${ID_COLUMNS}, name text not null, description text, icon text, color text, type text not null,
      "templateData" json not null, "sortOrder" double precision not null, "teamId" uuid, "creatorId" uuid, ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("teamId", "team")}, ${buildForeignKey("creatorId", "user")}
    )`,
    `create index if not exists template_created on template ("organizationId", "createdAt", id)`,
    `create index if not exists template_team on template ("organizationId", "teamId", "createdAt", id)`,
    // People without an account, from imports.
    `create table if not exists "externalUser" (
      ${ID_COLUMNS}, name text not null, "displayName" text not null, email text, ${TIME_COLUMNS},
      primary key ("organizationId", id)
    )`,
    // One row per name and email address. The same person in two imported files is a single row.
    `create unique index if not exists external_user_name_key
      on "externalUser" ("organizationId", name, (coalesce(email, '')))`,
    `create index if not exists external_user_created on "externalUser" ("organizationId", "createdAt", id)`,
    // Ids of entities in the system that they were imported from. The empty source contains identifiers of issues that
    // other imports do not match.
    `create table if not exists "externalId" (
      "organizationId" uuid not null references organization (id), type text not null, source text not null,
      "externalId" text not null, "entityId" uuid not null,
      primary key ("organizationId", type, source, "externalId")
    )`,
    `create index if not exists external_id_entity on "externalId" ("organizationId", "entityId")`,
    `create index if not exists external_id_name on "externalId" ("organizationId", lower("externalId")) where type = 'Issue'`,
    // Ids that clients chose, with a hash of the input. A repetition with the same id and input returns the same
    // entity.
    `create table if not exists "clientId" (
      "organizationId" uuid not null, id uuid not null, "inputHash" bytea not null,
      primary key ("organizationId", id)
    )`,
    `create table if not exists idempotency (
      "organizationId" uuid not null, "userId" uuid not null, key text not null, field text not null,
      "inputHash" bytea not null, outcome json not null, "lastSyncId" bigint not null, "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "userId", key, field)
    )`,
    // Expired keys are deleted organization by organization, oldest first.
    `create index if not exists idempotency_age on idempotency ("organizationId", "createdAt")`,
  ],
};
