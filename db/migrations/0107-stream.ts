import { IDS, TIMES } from "./columns.ts";
import type { Migration } from "./index.ts";

/** The change log, which is written beside every row, and the webhooks that deliver it. */
export const stream: Migration = {
  id: "0107-stream",
  statements: [
    `create table if not exists sync (
      "organizationId" uuid primary key,
      "lastSyncId" bigint not null,
      "oldestSyncId" bigint not null
    )`,
    `create table if not exists change (
      "organizationId" uuid not null, "lastSyncId" bigint not null, type text not null, action text not null,
      event text not null, "entityId" uuid not null, "teamId" uuid, data json not null, "updatedFrom" json,
      actor json not null, "createdAt" timestamptz(3) not null,
      primary key ("organizationId", "lastSyncId")
    )`,
    // The history of an issue is read from its changes and those of its relations.
    `create index if not exists change_issue on change ("organizationId", "entityId", "createdAt", "lastSyncId")
      where type = 'Issue'`,
    ...["issueId", "relatedIssueId"].map(
      (end) => `create index if not exists change_${end.toLowerCase()} on change ("organizationId", (data ->> '${end}'))
        where type = 'IssueRelation'`,
    ),
    `create table if not exists webhook (
      ${IDS}, label text, url text not null, "teamId" uuid, "resourceTypes" text[], enabled boolean not null default true,
      "secretEncrypted" bytea not null, "previousSecretEncrypted" bytea, "previousSecretUntil" timestamptz(3),
      "failingSince" timestamptz(3), "creatorId" uuid, ${TIMES},
      primary key ("organizationId", id)
    )`,
    // To a webhook or a rule of notices. Its change holds the content, its entry of the audit, or the delivery itself: ids and
    // values of the notices that it names. tries: attempts since it was written or asked for again, which the schedule counts.
    `create table if not exists delivery (
      id uuid not null, "organizationId" uuid not null, "targetId" uuid not null, "lastSyncId" bigint, "auditId" uuid, notices json,
      status text not null default 'pending', attempts jsonb not null default '[]', "nextAttemptAt" timestamptz(3),
      "leasedUntil" timestamptz(3), "createdAt" timestamptz(3) not null, tries integer not null default 0,
      primary key ("organizationId", id)
    )`,
    `create index if not exists delivery_due on delivery ("organizationId", "nextAttemptAt") where status = 'pending'`,
    // The claim leaps over this from target to target, so that the backlog of a dead one is never read through.
    `create index if not exists delivery_due_target
      on delivery ("organizationId", "targetId", "nextAttemptAt") where status = 'pending'`,
    `create index if not exists delivery_target on delivery ("organizationId", "targetId", "createdAt", id)`,
    // Entries of the audit go out in this order.
    `create index if not exists delivery_audit on delivery ("organizationId", "targetId", "createdAt", "auditId")
      where status = 'pending' and "auditId" is not null`,
  ],
};
