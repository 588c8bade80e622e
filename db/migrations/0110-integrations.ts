import { buildForeignKey, ID_COLUMNS, type Migration, TIME_COLUMNS } from "./columns.ts";

/**
 * Recipients outside an organization's own pages: the change log, which is written with every row, and the webhooks
 * that deliver it; notices by owners' rules, and mail servers; apps that a user authorized through OAuth.
 */
export const integrations: Migration = {
  id: "0110-integrations",
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
    // The history of an issue is read from the changes of the issue and of its relations.
    `create index if not exists change_issue on change ("organizationId", "entityId", "createdAt", "lastSyncId")
      where type = 'Issue'`,
    ...["issueId", "relatedIssueId"].map(
      (end) => `create index if not exists change_${end.toLowerCase()} on change ("organizationId", (data ->> '${end}'))
        where type = 'IssueRelation'`,
    ),
    `create table if not exists webhook (
      ${ID_COLUMNS}, label text, url text not null, "teamId" uuid, "resourceTypes" text[], enabled boolean not null default true,
      "secretEncrypted" bytea not null, "previousSecretEncrypted" bytea, "previousSecretUntil" timestamptz(3),
      "failingSince" timestamptz(3), "creatorId" uuid, ${TIME_COLUMNS},
      primary key ("organizationId", id)
    )`,
    // A delivery to a webhook or a notice rule. The content is in a change, in an audit entry, or in the delivery row
    // as ids and values of notices. tries: number of attempts since the delivery was written or requested again, for
    // the retry schedule.
    `create table if not exists delivery (
      id uuid not null, "organizationId" uuid not null, "targetId" uuid not null, "lastSyncId" bigint, "auditId" uuid, notices json,
      status text not null default 'pending', attempts jsonb not null default '[]', "nextAttemptAt" timestamptz(3),
      "leasedUntil" timestamptz(3), "createdAt" timestamptz(3) not null, tries integer not null default 0,
      primary key ("organizationId", id)
    )`,
    `create index if not exists delivery_due on delivery ("organizationId", "nextAttemptAt") where status = 'pending'`,
    // With this index, the claim of deliveries skips from target to target and never reads the backlog of an
    // unreachable target.
    `create index if not exists delivery_due_target
      on delivery ("organizationId", "targetId", "nextAttemptAt") where status = 'pending'`,
    `create index if not exists delivery_target on delivery ("organizationId", "targetId", "createdAt", id)`,
    // The server sends the audit entries of a target in the order of the index `delivery_audit`.
    `create index if not exists delivery_audit on delivery ("organizationId", "targetId", "createdAt", "auditId")
      where status = 'pending' and "auditId" is not null`,
    // targetEncrypted: the URL to post to, which may contain a secret. watchedFrom: earlier events are ignored.
    `create table if not exists "noticeRule" (
      ${ID_COLUMNS}, name text not null, enabled boolean not null default true, condition text not null,
      "sessionStates" text[] not null, "failureKinds" text[] not null, "issueStateTypes" text[] not null, tool text,
      threshold double precision, "minimumCalls" integer not null, "teamId" uuid, channel text not null,
      emails text[] not null, "targetHost" text, "targetEncrypted" bytea, "secretEncrypted" bytea,
      "includeText" boolean not null, "quietFrom" text, "quietTo" text, "timeZone" text not null, "creatorId" uuid,
      "watchedFrom" timestamptz(3) not null, "toldAt" timestamptz(3), "failingSince" timestamptz(3), ${TIME_COLUMNS},
      primary key ("organizationId", id), ${buildForeignKey("teamId", "team")}
    )`,
    `create index if not exists notice_rule_created on "noticeRule" ("organizationId", "createdAt", id)`,
    `create index if not exists notice_rule_team on "noticeRule" ("organizationId", "teamId") where "teamId" is not null`,
    // A subject for which a rule's condition is or was true: a session, an issue, a tool, a day. dueAt: when a message
    // about the subject is due; null for none. The last columns describe the last message about the subject.
    `create table if not exists notice (
      "organizationId" uuid not null, "ruleId" uuid not null, "group" text not null, value text not null,
      subject jsonb not null, "firedAt" timestamptz(3) not null, "resolvedAt" timestamptz(3), "dueAt" timestamptz(3),
      told text, "toldValue" text, "toldAt" timestamptz(3), "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "ruleId", "group"),
      foreign key ("organizationId", "ruleId") references "noticeRule" ("organizationId", id) on delete cascade
    )`,
    `create index if not exists notice_due on notice ("organizationId", "ruleId", "dueAt") where "dueAt" is not null`,
    `create index if not exists notice_firing on notice ("organizationId", "ruleId", "updatedAt") where "resolvedAt" is null`,
    // Maintenance deletes old notices with the indexes `notice_over` and `notice_fired`.
    `create index if not exists notice_over on notice ("organizationId", "updatedAt") where "resolvedAt" is not null`,
    `create index if not exists notice_fired on notice ("organizationId", "firedAt")`,
    // Progress of notice rules: position in the change log, and when the rules must read all other data again.
    `create table if not exists "noticeWatch" (
      "organizationId" uuid primary key references organization (id), "lastSyncId" bigint not null,
      "dueAt" timestamptz(3) not null, "slowAt" timestamptz(3) not null
    )`,
    `create table if not exists "mailServer" (
      "organizationId" uuid primary key references organization (id), host text not null, port integer not null,
      security text not null, username text, "passwordEncrypted" bytea, "from" text not null,
      "createdAt" timestamptz(3) not null, "updatedAt" timestamptz(3) not null
    )`,
    // OAuth clients belong to the whole server. A user's grant to a client belongs to one organization. A revoked grant
    // is deleted together with the tokens. A registered client has a generated id. A client with a metadata document
    // has the document's URL as the id, and has fetchedAt.
    `create table if not exists "oauthClient" (
      id text primary key,
      name text not null,
      "redirectUris" text[] not null,
      "createdAt" timestamptz(3) not null,
      "fetchedAt" timestamptz(3),
      "usedAt" timestamptz(3)
    )`,
    `create index if not exists oauth_client_unused on "oauthClient" ("createdAt") where "usedAt" is null`,
    `create table if not exists "oauthGrant" (
      "organizationId" uuid not null,
      id uuid not null,
      "userId" uuid not null,
      "clientId" text not null,
      "clientName" text not null,
      "redirectHost" text not null,
      scopes text[] not null,
      resource text not null,
      "createdAt" timestamptz(3) not null,
      "lastUsedAt" timestamptz(3) not null,
      primary key ("organizationId", id)
    )`,
    `create index if not exists oauth_grant_user on "oauthGrant" ("organizationId", "userId")`,
    `create index if not exists oauth_grant_client on "oauthGrant" ("clientId")`,
    `create index if not exists oauth_grant_used on "oauthGrant" ("lastUsedAt")`,
    `create table if not exists "oauthCode" (
      hash bytea primary key,
      "organizationId" uuid not null,
      "userId" uuid not null,
      "clientId" text not null,
      "clientName" text not null,
      "redirectUri" text not null,
      "codeChallenge" text not null,
      scopes text[] not null,
      resource text not null,
      "grantId" uuid not null,
      "expiresAt" timestamptz(3) not null,
      "usedAt" timestamptz(3)
    )`,
    `create index if not exists oauth_code_organization on "oauthCode" ("organizationId")`,
    `create index if not exists oauth_code_expires on "oauthCode" ("expiresAt")`,
    `create table if not exists "oauthToken" (
      hash bytea primary key,
      "organizationId" uuid not null,
      "grantId" uuid not null,
      kind text not null,
      "parentHash" bytea,
      "createdAt" timestamptz(3) not null,
      "expiresAt" timestamptz(3) not null,
      "rotatedAt" timestamptz(3),
      "retiredAt" timestamptz(3),
      foreign key ("organizationId", "grantId") references "oauthGrant" ("organizationId", id) on delete cascade
    )`,
    `create index if not exists oauth_token_grant on "oauthToken" ("organizationId", "grantId")`,
    `create index if not exists oauth_token_parent on "oauthToken" ("parentHash")`,
    `create index if not exists oauth_token_expires on "oauthToken" ("expiresAt")`,
    // Keys that may currently record: ingest keys, and access tokens with the scope `record`.
    `create or replace view "captureKey" as
      select hash, "organizationId" from "ingestKey"
      union all
      select t.hash, t."organizationId" from "oauthToken" t
        join "oauthGrant" g on g."organizationId" = t."organizationId" and g.id = t."grantId" and 'record' = any(g.scopes)
        join "user" u on u."organizationId" = g."organizationId" and u.id = g."userId" and u.active
       where t.kind = 'access' and t."expiresAt" > now()`,
  ],
};
