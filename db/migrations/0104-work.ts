import { IDS, link, TIMES } from "./columns.ts";
import type { Migration } from "./index.ts";

/** Many agents work from one tracker: relations between issues, leases, and links between issues and sessions. */
export const work: Migration = {
  id: "0104-work",
  statements: [
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
