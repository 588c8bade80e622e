import { IDS, link, type Migration, TIMES } from "./columns.ts";

const LINKS = ["assigneeId", "creatorId", "parentId", "projectId", "projectMilestoneId", "cycleId"];
const READY = `"stateType" in ('backlog', 'unstarted', 'triage') and "archivedAt" is null and trashed is not true
  and "openBlockers" = 0 and not leased`;
/** Languages whose stems searches know. */
const STEMMED = ["english", "german", "french", "spanish"];
/** Characters of a text that are split into words: that bounds what a write costs and how long a list of words is. */
const SPLIT_CHARS = 32_768;
/** Characters that the parser would take for parts of addresses, paths, signed numbers and tags. */
const PARTS = ["/", ".", "@", "-", "+", "<", "&"];
/** A text with blanks for them. To translate all at once takes fifty times as long. */
const BARE = PARTS.reduce((text, part) => `replace(${text}, '${part}', ' ')`, `left(text, ${SPLIT_CHARS})`);
/** Each word as it stands, which prefixes find, and its stem. */
const WORDS = `strip(to_tsvector('simple', ${BARE})) || case language
  ${STEMMED.map((language) => `when '${language}' then strip(to_tsvector('${language}', ${BARE}))`).join(" ")} else '' end`;
const BEST_FIRST = `(coalesce(nullif(priority, 0), 5)), unblocks desc, "createdAt", id`;

/**
 * Issues, comments, and the work on them. Only one index has the moment of the last update, since an update writes to each index whose
 * columns it changes. Links that most issues lack have an index of the rows that have one.
 */
export const issues: Migration = {
  id: "0103-issues",
  statements: [
    // stateType, openBlockers, unblocks and leased are derived, so that readiness is an index and not a walk over relations;
    // labelSet too, so that issues are counted by their labels from an index alone.
    // The fill factor leaves room for a new version of a row beside the old one.
    `create table if not exists issue (
      ${IDS}, "teamId" uuid not null, number integer not null, title text not null, description text,
      priority integer not null default 0, estimate integer, "sortOrder" double precision not null default 0,
      "stateId" uuid not null, "assigneeId" uuid, "creatorId" uuid, "parentId" uuid, "projectId" uuid, "cycleId" uuid,
      "projectMilestoneId" uuid, "dueDate" date, "previousIdentifiers" text[] not null default '{}', "startedAt" timestamptz(3),
      "completedAt" timestamptz(3), "canceledAt" timestamptz(3), trashed boolean, ${TIMES},
      "delegateId" uuid, "stateType" text not null default 'backlog', "openBlockers" integer not null default 0,
      unblocks integer not null default 0, leased boolean not null default false, fence integer not null default 0,
      "labelSet" text collate "C" not null default '',
      "externalUserCreatorId" uuid, "externalUserAssigneeId" uuid,
      primary key ("organizationId", id), ${link("teamId", "team")}, ${link("stateId", "workflowState")},
      ${link("assigneeId", "user")}, ${link("creatorId", "user")}, ${link("parentId", "issue")},
      ${link("projectId", "project")}, ${link("projectMilestoneId", "projectMilestone")}, ${link("cycleId", "cycle")},
      ${link("delegateId", "user")},
      ${link("externalUserCreatorId", "externalUser")}, ${link("externalUserAssigneeId", "externalUser")},
      constraint issue_number_key unique ("organizationId", "teamId", number)
    ) with (fillfactor = 90)`,
    `create index if not exists issue_all_created on issue ("organizationId", "createdAt", id)`,
    `create index if not exists issue_all_updated on issue ("organizationId", "updatedAt", id)`,
    `create index if not exists issue_teamid_created on issue ("organizationId", "teamId", "createdAt", id)`,
    `create index if not exists issue_stateid_created on issue ("organizationId", "stateId", "createdAt", id)`,
    // Issues are counted by each of these from this one, whatever they are filtered by among them. Its entries
    // are alike, so that thousands of them take one page.
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
    // The progress of projects and cycles is counted from these.
    ...["projectId", "cycleId"].map(
      (by) => `create index if not exists issue_${by.toLowerCase()}_progress
        on issue ("organizationId", "${by}", "stateType", "teamId")
        where "${by}" is not null and "archivedAt" is null and trashed is not true`,
    ),
    `create index if not exists issue_ready on issue ("organizationId", ${BEST_FIRST}) where ${READY}`,
    `create index if not exists issue_ready_team on issue ("organizationId", "teamId", ${BEST_FIRST}) where ${READY}`,
    // The purge of the trash looks across organizations.
    `create index if not exists issue_trash on issue ("archivedAt") where trashed`,
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
      ${IDS}, body text not null, "issueId" uuid, "projectId" uuid, "userId" uuid, "parentId" uuid,
      "editedAt" timestamptz(3), "resolvedAt" timestamptz(3), "resolvingUserId" uuid, ${TIMES},
      "resolvingCommentId" uuid, "externalUserId" uuid,
      primary key ("organizationId", id), ${link("issueId", "issue")}, ${link("projectId", "project")},
      ${link("userId", "user")}, ${link("parentId", "comment")}, ${link("resolvingUserId", "user")},
      ${link("externalUserId", "externalUser")}
    )`,
    `create index if not exists comment_all on comment ("organizationId", "createdAt", id)`,
    `create index if not exists comment_updated on comment ("organizationId", "updatedAt", id)`,
    `create index if not exists comment_issueid on comment ("organizationId", "issueId", "createdAt", id)`,
    `create index if not exists comment_userid on comment ("organizationId", "userId", "createdAt", id)`,
    ...["projectId", "parentId"].map(
      (by) => `create index if not exists comment_${by.toLowerCase()}_set
        on comment ("organizationId", "${by}", "createdAt", id) where "${by}" is not null`,
    ),
    // The removal of a comment looks for the thread that it resolved.
    `create index if not exists comment_resolving on comment ("organizationId", "resolvingCommentId")
      where "resolvingCommentId" is not null`,
    "create extension if not exists pg_trgm",
    "create extension if not exists btree_gin",
    ...texts("issue"),
    ...texts("comment"),
    // By whose stems texts are found; every write of a text asks for it, so its plan is kept.
    `create or replace function search_language(organization uuid) returns text language plpgsql stable parallel safe as $$
      begin return (select o."searchLanguage" from organization o where o.id = organization); end $$`,
    // Counts of issues by team, project, cycle and creator. Half of each page is free, so that a row that changes often stays in its own.
    `create table if not exists "issueCount" (
      "organizationId" uuid not null references organization (id), kind text not null, id uuid not null, "teamId" uuid not null,
      issues integer not null, shown integer not null, completed integer not null,
      primary key ("organizationId", kind, id, "teamId")
    ) with (fillfactor = 50)`,
    // Many agents work from one tracker: relations between issues, leases, and links between issues and sessions.
    `create table if not exists "issueRelation" (
      ${IDS}, type text not null, "issueId" uuid not null, "relatedIssueId" uuid not null, ${TIMES},
      primary key ("organizationId", id), ${link("issueId", "issue")}, ${link("relatedIssueId", "issue")},
      constraint issue_relation_type_key unique ("organizationId", "issueId", "relatedIssueId", type)
    )`,
    `create index if not exists issue_relation_all on "issueRelation" ("organizationId", "createdAt", id)`,
    ...["issueId", "relatedIssueId"].map(
      (end) => `create index if not exists issue_relation_${end.toLowerCase()}
        on "issueRelation" ("organizationId", "${end}", "createdAt", id)`,
    ),
    // The holder of an issue, and the end of the lease. The id is the issue's: it has one lease or none. signs: the
    // signs of life that its session had given at the last check; their growth shows that it records, with any clocks
    // of servers. costBefore, tokensBefore: what the session had taken when the claim began. trippedBy: the limit that was reached. unsure: its session came through a server whose clock is wrong.
    `create table if not exists "issueLease" (
      ${IDS}, fence integer not null,
      "holderId" uuid not null, "sessionId" text, "ttlSeconds" integer not null,
      "grantedAt" timestamptz(3) not null, "renewedAt" timestamptz(3) not null, "expiresAt" timestamptz(3) not null,
      "checkAt" timestamptz(3) not null, "stateId" uuid not null, "formerId" uuid,
      signs bigint, events bigint, unsure boolean not null default false, "lookedAt" timestamptz(3),
      "costLimit" double precision, "tokenLimit" bigint, "minuteLimit" integer, "equalCallLimit" integer,
      "costBefore" numeric not null default 0, "tokensBefore" bigint not null default 0,
      "trippedAt" timestamptz(3), "trippedBy" text,
      primary key ("organizationId", id), ${link("id", "issue")}, ${link("holderId", "user")}
    )`,
    `create index if not exists issue_lease_holder on "issueLease" ("organizationId", "holderId", id)`,
    // The latest leases that name a session: what their holders change right now.
    `create index if not exists issue_lease_granted on "issueLease" ("organizationId", "grantedAt") where "sessionId" is not null`,
    // Leases with a limit that is not reached yet.
    `create index if not exists issue_lease_limited on "issueLease" ("organizationId", id) where "trippedAt" is null
      and ("costLimit" is not null or "tokenLimit" is not null or "minuteLimit" is not null or "equalCallLimit" is not null)`,
    // Agents ask before each call if their claim was stopped.
    `create index if not exists issue_lease_tripped on "issueLease" ("organizationId", lower("sessionId"))
      where "trippedAt" is not null`,
    // Claims that were stopped wait for a person.
    `create index if not exists issue_lease_stopped on "issueLease" ("organizationId", "trippedAt") where "trippedAt" is not null`,
    // Upkeep looks for leases across organizations.
    `create index if not exists issue_lease_check on "issueLease" ("checkAt")`,
    // Notices for the inbox of a user, or of everybody: an issue was assigned or mentions them, or its lease ran out.
    `create table if not exists "inboxNotice" (
      "organizationId" uuid not null references organization (id), id uuid not null, type text not null, "userId" uuid,
      "issueId" uuid not null, "commentId" uuid, "holderId" uuid, "createdAt" timestamptz(3) not null,
      primary key ("organizationId", id), ${link("userId", "user")} on delete cascade,
      ${link("issueId", "issue")} on delete cascade, ${link("commentId", "comment")} on delete cascade
    )`,
    `create index if not exists inbox_notice_user on "inboxNotice" ("organizationId", "userId", "createdAt", id)`,
    ...["issueId", "commentId"].map(
      (by) =>
        `create index if not exists inbox_notice_${by.toLowerCase()} on "inboxNotice" ("organizationId", "${by}")`,
    ),
    `create index if not exists inbox_notice_created on "inboxNotice" ("organizationId", "createdAt")`,
    // The verdict on the record when an issue was completed last. The id is the issue's. eventIds: those that it rests on.
    `create table if not exists "issueProof" (
      ${IDS}, verdict text not null, reason text not null, "eventIds" text[] not null, "overriddenById" uuid, ${TIMES},
      primary key ("organizationId", id), ${link("id", "issue")}, ${link("overriddenById", "user")}
    )`,
    `create index if not exists issue_proof_verdict on "issueProof" ("organizationId", verdict, "updatedAt", id)`,
    `create index if not exists issue_proof_overridden on "issueProof" ("organizationId", "overriddenById", id)
      where "overriddenById" is not null`,
    // The record of an issue's sessions in short, for whoever works on it next. The id is the issue's.
    `create table if not exists "issueHandover" (
      "organizationId" uuid not null, id uuid not null, text text not null, "writtenAt" timestamptz(3) not null,
      primary key ("organizationId", id), ${link("id", "issue")} on delete cascade
    )`,
    // The entries of an inbox that a user read, snoozed or is done with. It holds while the entry is there since that moment.
    `create table if not exists "inboxState" (
      "organizationId" uuid not null references organization (id), "userId" uuid not null, id uuid not null,
      since timestamptz(3) not null, "readAt" timestamptz(3), "doneAt" timestamptz(3), "snoozedUntilAt" timestamptz(3),
      "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "userId", id), ${link("userId", "user")} on delete cascade
    )`,
    `create index if not exists inbox_state_updated on "inboxState" ("organizationId", "updatedAt")`,
    // Sessions have no foreign keys, so that they are recorded fast: links go with them by declaration.
    `create table if not exists "issueSession" (
      "organizationId" uuid not null references organization (id), id uuid not null default gen_random_uuid(),
      "issueId" uuid not null, "sessionId" uuid not null,
      claimed boolean not null default false, filed boolean not null default false,
      mentioned boolean not null default false, "createdAt" timestamptz(3) not null default now(),
      primary key ("organizationId", "issueId", "sessionId"), ${link("issueId", "issue")} on delete cascade
    )`,
    `create index if not exists issue_session_issue on "issueSession" ("organizationId", "issueId", "createdAt", id)`,
    `create index if not exists issue_session_session on "issueSession" ("organizationId", "sessionId", "createdAt", id)`,
    // Issues that keep a text of a session that was deleted: of its link nothing is left but who deleted it, and when.
    `create table if not exists "issueDeletedSession" (
      ${IDS}, "issueId" uuid not null, "deletedById" uuid, "blankedAt" timestamptz(3), ${TIMES},
      primary key ("organizationId", id), ${link("issueId", "issue")}
    )`,
    `create index if not exists issue_deleted_session_issue on "issueDeletedSession" ("organizationId", "issueId", "createdAt", id)`,
    `create index if not exists issue_deleted_session_all on "issueDeletedSession" ("organizationId", "createdAt", id)`,
    // Links to sessions of which nothing is recorded yet.
    `create table if not exists "awaitedSession" (
      "organizationId" uuid not null references organization (id), "issueId" uuid not null, reference text not null,
      kind text not null, "createdAt" timestamptz(3) not null default now(),
      primary key ("organizationId", "issueId", reference, kind), ${link("issueId", "issue")} on delete cascade
    )`,
    `create index if not exists awaited_session_reference on "awaitedSession" ("organizationId", lower(reference))`,
    `create index if not exists awaited_session_age on "awaitedSession" ("organizationId", "createdAt")`,
  ],
};

/** The texts that searches read, beside their rows: an update that leaves the text alone does not pay for its index. */
function texts(of: "issue" | "comment"): string[] {
  const table = `${of}Text`;
  return [
    `create table if not exists "${table}" (
      "organizationId" uuid not null, id uuid not null, "createdAt" timestamptz(3) not null, text text not null,
      language text not null, words tsvector not null generated always as (${WORDS}) stored,
      primary key ("organizationId", id), ${link("id", of)} on delete cascade
    )`,
    `create index if not exists ${of}text_created on "${table}" ("organizationId", "createdAt", id)`,
    // The list of unsorted entries is short, so that no writer has much to sort in at once.
    `create index if not exists ${of}text_parts
      on "${table}" using gin ("organizationId", text gin_trgm_ops) with (gin_pending_list_limit = 256)`,
    `create index if not exists ${of}text_words
      on "${table}" using gin ("organizationId", words) with (gin_pending_list_limit = 256)`,
  ];
}
