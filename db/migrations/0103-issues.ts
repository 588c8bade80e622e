import { buildForeignKey, ID_COLUMNS, type Migration, TIME_COLUMNS } from "./columns.ts";

const LINKS = ["assigneeId", "creatorId", "parentId", "projectId", "projectMilestoneId", "cycleId"];
const READY = `"stateType" in ('backlog', 'unstarted', 'triage') and "archivedAt" is null and trashed is not true
  and "openBlockers" = 0 and not leased`;
/** Languages for which searches use stems. */
const STEMMED = ["english", "german", "french", "spanish"];
/**
 * Maximum characters of a text that are split into words. Limits the cost of a write and the length of the list of
 * words.
 */
const SPLIT_CHARS = 32_768;
/** Characters that the parser would treat as parts of addresses, paths, signed numbers and tags. */
const PARTS = ["/", ".", "@", "-", "+", "<", "&"];
/** The text with spaces in place of these characters. A single `translate` would take fifty times as long. */
const BARE = PARTS.reduce((text, part) => `replace(${text}, '${part}', ' ')`, `left(text, ${SPLIT_CHARS})`);
/** Each word unchanged, for prefix searches, and the stem of each word. */
const WORDS = `strip(to_tsvector('simple', ${BARE})) || case language
  ${STEMMED.map((language) => `when '${language}' then strip(to_tsvector('${language}', ${BARE}))`).join(" ")} else '' end`;
const BEST_FIRST = `(coalesce(nullif(priority, 0), 5)), unblocks desc, "createdAt", id`;

/**
 * Issues, comments, and work on issues. Only one index contains the time of the last update, because an update writes
 * every index of a changed column. A link that most issues lack has a partial index of the rows with the link.
 */
export const issues: Migration = {
  id: "0103-issues",
  statements: [
    // stateType, openBlockers, unblocks and leased are derived values: an index finds ready issues without reading
    // relations. labelSet is derived, because counts by label then read only an index. The fill factor leaves room for
    // a new version of a row on the same page.
    `create table if not exists issue (
      ${ID_COLUMNS}, "teamId" uuid not null, number integer not null, title text not null, description text,
      priority integer not null default 0, estimate integer, "sortOrder" double precision not null default 0,
      "stateId" uuid not null, "assigneeId" uuid, "creatorId" uuid, "parentId" uuid, "projectId" uuid, "cycleId" uuid,
      "projectMilestoneId" uuid, "dueDate" date, "previousIdentifiers" text[] not null default '{}', "startedAt" timestamptz(3),
      "completedAt" timestamptz(3), "canceledAt" timestamptz(3), trashed boolean, ${TIME_COLUMNS},
      "delegateId" uuid, "stateType" text not null default 'backlog', "openBlockers" integer not null default 0,
      unblocks integer not null default 0, leased boolean not null default false, fence integer not null default 0,
      "labelSet" text collate "C" not null default '',
      "externalUserCreatorId" uuid, "externalUserAssigneeId" uuid,
      primary key ("organizationId", id), ${buildForeignKey("teamId", "team")}, ${buildForeignKey("stateId", "workflowState")},
      ${buildForeignKey("assigneeId", "user")}, ${buildForeignKey("creatorId", "user")}, ${buildForeignKey("parentId", "issue")},
      ${buildForeignKey("projectId", "project")}, ${buildForeignKey("projectMilestoneId", "projectMilestone")}, ${buildForeignKey("cycleId", "cycle")},
      ${buildForeignKey("delegateId", "user")},
      ${buildForeignKey("externalUserCreatorId", "externalUser")}, ${buildForeignKey("externalUserAssigneeId", "externalUser")},
      constraint issue_number_key unique ("organizationId", "teamId", number)
    ) with (fillfactor = 90)`,
    `create index if not exists issue_all_created on issue ("organizationId", "createdAt", id)`,
    `create index if not exists issue_all_updated on issue ("organizationId", "updatedAt", id)`,
    `create index if not exists issue_teamid_created on issue ("organizationId", "teamId", "createdAt", id)`,
    `create index if not exists issue_stateid_created on issue ("organizationId", "stateId", "createdAt", id)`,
    // Counts by any column of the index `issue_shown`, with filters on columns of the index, read only the index.
    // Thousands of entries fit on one page, because the entries are similar.
    `create index if not exists issue_shown on issue ("organizationId", "stateId", "teamId", priority, "assigneeId",
        "delegateId", "creatorId", "projectId", "projectMilestoneId", "cycleId", "labelSet")
      where "archivedAt" is null and trashed is not true`,
    ...LINKS.map(
      (by) => `create index if not exists issue_${by.toLowerCase()}_created_set
        on issue ("organizationId", "${by}", "createdAt", id) where "${by}" is not null`,
    ),
    `create index if not exists issue_delegate on issue ("organizationId", "delegateId", "createdAt", id)
      where "delegateId" is not null`,
    `create index if not exists issue_priority on issue ("organizationId", priority, id)`,
    `create index if not exists issue_title on issue ("organizationId", title, id)`,
    `create index if not exists issue_due on issue ("organizationId", "dueDate", id) where "dueDate" is not null`,
    // The progress of projects and cycles is counted from these indexes.
    ...["projectId", "cycleId"].map(
      (by) => `create index if not exists issue_${by.toLowerCase()}_progress
        on issue ("organizationId", "${by}", "stateType", "teamId")
        where "${by}" is not null and "archivedAt" is null and trashed is not true`,
    ),
    `create index if not exists issue_ready on issue ("organizationId", ${BEST_FIRST}) where ${READY}`,
    `create index if not exists issue_ready_team on issue ("organizationId", "teamId", ${BEST_FIRST}) where ${READY}`,
    // The purge of the trash reads all organizations.
    `create index if not exists issue_trash on issue ("archivedAt") where trashed`,
    // Identifiers that an issue had before a move to another team. Old identifiers still resolve.
    `create table if not exists "issueAlias" (
      "organizationId" uuid not null, "teamId" uuid not null, number integer not null, "issueId" uuid not null,
      primary key ("organizationId", "teamId", number), ${buildForeignKey("issueId", "issue")}
    )`,
    `create table if not exists "issueLabelLink" (
      "organizationId" uuid not null, "issueId" uuid not null, "labelId" uuid not null,
      primary key ("organizationId", "issueId", "labelId"), ${buildForeignKey("issueId", "issue")}, ${buildForeignKey("labelId", "issueLabel")}
    )`,
    `create index if not exists issue_label_link_label on "issueLabelLink" ("organizationId", "labelId", "issueId")`,
    `create table if not exists comment (
      ${ID_COLUMNS}, body text not null, "issueId" uuid, "projectId" uuid, "userId" uuid, "parentId" uuid,
      "editedAt" timestamptz(3), "resolvedAt" timestamptz(3), "resolvingUserId" uuid, ${TIME_COLUMNS},
      "resolvingCommentId" uuid, "externalUserId" uuid,
      primary key ("organizationId", id), ${buildForeignKey("issueId", "issue")}, ${buildForeignKey("projectId", "project")},
      ${buildForeignKey("userId", "user")}, ${buildForeignKey("parentId", "comment")}, ${buildForeignKey("resolvingUserId", "user")},
      ${buildForeignKey("externalUserId", "externalUser")}
    )`,
    `create index if not exists comment_all on comment ("organizationId", "createdAt", id)`,
    `create index if not exists comment_updated on comment ("organizationId", "updatedAt", id)`,
    `create index if not exists comment_issueid on comment ("organizationId", "issueId", "createdAt", id)`,
    `create index if not exists comment_userid on comment ("organizationId", "userId", "createdAt", id)`,
    ...["projectId", "parentId"].map(
      (by) => `create index if not exists comment_${by.toLowerCase()}_set
        on comment ("organizationId", "${by}", "createdAt", id) where "${by}" is not null`,
    ),
    // The removal of a comment searches for the thread that the comment resolved.
    `create index if not exists comment_resolving on comment ("organizationId", "resolvingCommentId")
      where "resolvingCommentId" is not null`,
    "create extension if not exists pg_trgm",
    "create extension if not exists btree_gin",
    ...texts("issue"),
    ...texts("comment"),
    // Returns the language of stems in searches. The function keeps a query plan, because every write of a text calls
    // it.
    `create or replace function search_language(organization uuid) returns text language plpgsql stable parallel safe as $$
      begin return (select o."searchLanguage" from organization o where o.id = organization); end $$`,
    // Counts of issues by team, project, cycle and creator. Half of each page is free: new versions of a frequently
    // changed row stay on the same page.
    `create table if not exists "issueCount" (
      "organizationId" uuid not null references organization (id), kind text not null, id uuid not null, "teamId" uuid not null,
      issues integer not null, shown integer not null, completed integer not null,
      primary key ("organizationId", kind, id, "teamId")
    ) with (fillfactor = 50)`,
    // For many agents on one tracker: relations between issues, leases, and links between issues and sessions.
    `create table if not exists "issueRelation" (
      ${ID_COLUMNS}, type text not null, "issueId" uuid not null, "relatedIssueId" uuid not null, ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("issueId", "issue")}, ${buildForeignKey("relatedIssueId", "issue")},
      constraint issue_relation_type_key unique ("organizationId", "issueId", "relatedIssueId", type)
    )`,
    `create index if not exists issue_relation_all on "issueRelation" ("organizationId", "createdAt", id)`,
    ...["issueId", "relatedIssueId"].map(
      (end) => `create index if not exists issue_relation_${end.toLowerCase()}
        on "issueRelation" ("organizationId", "${end}", "createdAt", id)`,
    ),
    // The holder of an issue, and the end of the lease. The id is the issue's, because an issue has at most one lease.
    // signs: number of signs of life of the session at the last check. Growth shows that the session records,
    // independent of the clocks of servers. costBefore, tokensBefore: totals of the session when the claim began.
    // trippedBy: the limit that was reached. unsure: the session was received by a server with a wrong clock.
    `create table if not exists "issueLease" (
      ${ID_COLUMNS}, fence integer not null,
      "holderId" uuid not null, "sessionId" text, "ttlSeconds" integer not null,
      "grantedAt" timestamptz(3) not null, "renewedAt" timestamptz(3) not null, "expiresAt" timestamptz(3) not null,
      "checkAt" timestamptz(3) not null, "stateId" uuid not null, "formerId" uuid,
      signs bigint, events bigint, unsure boolean not null default false, "lookedAt" timestamptz(3),
      "costLimit" double precision, "tokenLimit" bigint, "minuteLimit" integer, "equalCallLimit" integer,
      "costBefore" numeric not null default 0, "tokensBefore" bigint not null default 0,
      "trippedAt" timestamptz(3), "trippedBy" text,
      primary key ("organizationId", id), ${buildForeignKey("id", "issue")}, ${buildForeignKey("holderId", "user")}
    )`,
    `create index if not exists issue_lease_holder on "issueLease" ("organizationId", "holderId", id)`,
    // The latest leases with a session, to find the files that their holders are changing now.
    `create index if not exists issue_lease_granted on "issueLease" ("organizationId", "grantedAt") where "sessionId" is not null`,
    // Leases with a limit that is not yet reached.
    `create index if not exists issue_lease_limited on "issueLease" ("organizationId", id) where "trippedAt" is null
      and ("costLimit" is not null or "tokenLimit" is not null or "minuteLimit" is not null or "equalCallLimit" is not null)`,
    // Before each tool call, agents ask whether their claim was stopped.
    `create index if not exists issue_lease_tripped on "issueLease" ("organizationId", lower("sessionId"))
      where "trippedAt" is not null`,
    // Stopped claims that need a user's attention.
    `create index if not exists issue_lease_stopped on "issueLease" ("organizationId", "trippedAt") where "trippedAt" is not null`,
    // A maintenance job searches leases of all organizations.
    `create index if not exists issue_lease_check on "issueLease" ("checkAt")`,
    // Notices for the inbox of one user or of all users: an issue was assigned to the user or mentions the user, or the
    // user's lease expired.
    `create table if not exists "inboxNotice" (
      "organizationId" uuid not null references organization (id), id uuid not null, type text not null, "userId" uuid,
      "issueId" uuid not null, "commentId" uuid, "holderId" uuid, "createdAt" timestamptz(3) not null,
      primary key ("organizationId", id), ${buildForeignKey("userId", "user")} on delete cascade,
      ${buildForeignKey("issueId", "issue")} on delete cascade, ${buildForeignKey("commentId", "comment")} on delete cascade
    )`,
    `create index if not exists inbox_notice_user on "inboxNotice" ("organizationId", "userId", "createdAt", id)`,
    ...["issueId", "commentId"].map(
      (by) =>
        `create index if not exists inbox_notice_${by.toLowerCase()} on "inboxNotice" ("organizationId", "${by}")`,
    ),
    `create index if not exists inbox_notice_created on "inboxNotice" ("organizationId", "createdAt")`,
    // The verdict on the recorded sessions at the last completion of an issue. The id is the issue's. eventIds: the
    // events that support the verdict.
    `create table if not exists "issueProof" (
      ${ID_COLUMNS}, verdict text not null, reason text not null, "eventIds" text[] not null, "overriddenById" uuid, ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("id", "issue")}, ${buildForeignKey("overriddenById", "user")}
    )`,
    `create index if not exists issue_proof_verdict on "issueProof" ("organizationId", verdict, "updatedAt", id)`,
    `create index if not exists issue_proof_overridden on "issueProof" ("organizationId", "overriddenById", id)
      where "overriddenById" is not null`,
    // A summary of an issue's sessions for the next holder. The id is the issue's.
    `create table if not exists "issueHandover" (
      "organizationId" uuid not null, id uuid not null, text text not null, "writtenAt" timestamptz(3) not null,
      primary key ("organizationId", id), ${buildForeignKey("id", "issue")} on delete cascade
    )`,
    // Inbox entries that a user read, snoozed or marked as done. The state applies only while the entry has the same
    // `since`.
    `create table if not exists "inboxState" (
      "organizationId" uuid not null references organization (id), "userId" uuid not null, id uuid not null,
      since timestamptz(3) not null, "readAt" timestamptz(3), "doneAt" timestamptz(3), "snoozedUntilAt" timestamptz(3),
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "userId", id), ${buildForeignKey("userId", "user")} on delete cascade
    )`,
    `create index if not exists inbox_state_updated on "inboxState" ("organizationId", "updatedAt")`,
    // Recorded sessions have no foreign keys, because recording must be fast. The deletion of a session removes the
    // links by declaration.
    `create table if not exists "issueSession" (
      "organizationId" uuid not null references organization (id), id uuid not null default gen_random_uuid(),
      "issueId" uuid not null, "sessionId" uuid not null,
      claimed boolean not null default false, filed boolean not null default false,
      mentioned boolean not null default false, "createdAt" timestamptz(3) not null default now(),
      primary key ("organizationId", "issueId", "sessionId"), ${buildForeignKey("issueId", "issue")} on delete cascade
    )`,
    `create index if not exists issue_session_issue on "issueSession" ("organizationId", "issueId", "createdAt", id)`,
    `create index if not exists issue_session_session on "issueSession" ("organizationId", "sessionId", "createdAt", id)`,
    // Issues that still contain text of a deleted session. Only who deleted the session, and when, remains of the link.
    `create table if not exists "issueDeletedSession" (
      ${ID_COLUMNS}, "issueId" uuid not null, "deletedById" uuid, "blankedAt" timestamptz(3), ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("issueId", "issue")}
    )`,
    `create index if not exists issue_deleted_session_issue on "issueDeletedSession" ("organizationId", "issueId", "createdAt", id)`,
    `create index if not exists issue_deleted_session_all on "issueDeletedSession" ("organizationId", "createdAt", id)`,
    // Links to sessions that are not recorded yet.
    `create table if not exists "awaitedSession" (
      "organizationId" uuid not null references organization (id), "issueId" uuid not null, reference text not null,
      kind text not null, "createdAt" timestamptz(3) not null default now(),
      primary key ("organizationId", "issueId", reference, kind), ${buildForeignKey("issueId", "issue")} on delete cascade
    )`,
    `create index if not exists awaited_session_reference on "awaitedSession" ("organizationId", lower(reference))`,
    `create index if not exists awaited_session_age on "awaitedSession" ("organizationId", "createdAt")`,
  ],
};

/**
 * Creates the tables with the texts for searches. Separate tables have the advantage that an update of other columns
 * does not write the text indexes.
 */
function texts(of: "issue" | "comment"): string[] {
  const table = `${of}Text`;
  return [
    `create table if not exists "${table}" (
      "organizationId" uuid not null, id uuid not null, "createdAt" timestamptz(3) not null, text text not null,
      language text not null, words tsvector not null generated always as (${WORDS}) stored,
      primary key ("organizationId", id), ${buildForeignKey("id", of)} on delete cascade
    )`,
    `create index if not exists ${of}text_created on "${table}" ("organizationId", "createdAt", id)`,
    // The pending list is short, so that no writer must sort many entries at once.
    `create index if not exists ${of}text_parts
      on "${table}" using gin ("organizationId", text gin_trgm_ops) with (gin_pending_list_limit = 256)`,
    `create index if not exists ${of}text_words
      on "${table}" using gin ("organizationId", words) with (gin_pending_list_limit = 256)`,
  ];
}
