import { IDS, link, TIMES } from "./columns.ts";
import type { Migration } from "./index.ts";

/** Notices by owners' rules, mail servers of organizations, and links by which people set a new password. */
export const notices: Migration = {
  id: "0110-notices",
  statements: [
    // targetEncrypted: the address to post to, which may hold a secret. watchedFrom: what happened before counts for nothing.
    `create table if not exists "noticeRule" (
      ${IDS}, name text not null, enabled boolean not null default true, condition text not null,
      "sessionStates" text[] not null, "failureKinds" text[] not null, "issueStateTypes" text[] not null, tool text,
      threshold double precision, "minimumCalls" integer not null, "teamId" uuid, channel text not null,
      emails text[] not null, "targetHost" text, "targetEncrypted" bytea, "secretEncrypted" bytea,
      "includeText" boolean not null, "quietFrom" text, "quietTo" text, "timeZone" text not null, "creatorId" uuid,
      "watchedFrom" timestamptz(3) not null, "toldAt" timestamptz(3), "failingSince" timestamptz(3), ${TIMES},
      primary key ("organizationId", id), ${link("teamId", "team")}
    )`,
    `create index if not exists notice_rule_created on "noticeRule" ("organizationId", "createdAt", id)`,
    `create index if not exists notice_rule_team on "noticeRule" ("organizationId", "teamId") where "teamId" is not null`,
    // A thing that a rule's condition holds of, or held of: a session, an issue, a tool, a day. dueAt: when a message
    // about it is due; null for none. Its last columns: of the last message about it.
    `create table if not exists notice (
      "organizationId" uuid not null, "ruleId" uuid not null, "group" text not null, value text not null,
      subject jsonb not null, "firedAt" timestamptz(3) not null, "resolvedAt" timestamptz(3), "dueAt" timestamptz(3),
      told text, "toldValue" text, "toldAt" timestamptz(3), "updatedAt" timestamptz(3) not null,
      primary key ("organizationId", "ruleId", "group"),
      foreign key ("organizationId", "ruleId") references "noticeRule" ("organizationId", id) on delete cascade
    )`,
    `create index if not exists notice_due on notice ("organizationId", "ruleId", "dueAt") where "dueAt" is not null`,
    `create index if not exists notice_firing on notice ("organizationId", "ruleId", "updatedAt") where "resolvedAt" is null`,
    // Upkeep forgets by these.
    `create index if not exists notice_over on notice ("organizationId", "updatedAt") where "resolvedAt" is not null`,
    `create index if not exists notice_fired on notice ("organizationId", "firedAt")`,
    // The progress of rules: in the change log, and when they are to read the rest again.
    `create table if not exists "noticeWatch" (
      "organizationId" uuid primary key references organization (id), "lastSyncId" bigint not null,
      "dueAt" timestamptz(3) not null, "slowAt" timestamptz(3) not null
    )`,
    `create table if not exists "mailServer" (
      "organizationId" uuid primary key references organization (id), host text not null, port integer not null,
      security text not null, username text, "passwordEncrypted" bytea, "from" text not null,
      "createdAt" timestamptz(3) not null, "updatedAt" timestamptz(3) not null
    )`,
    // A link that lets somebody choose a new password: good once, for an hour.
    `create table if not exists "passwordReset" (
      hash bytea primary key,
      "accountId" uuid not null references account (id) on delete cascade,
      "expiresAt" timestamptz(3) not null
    )`,
    `create index if not exists password_reset_account on "passwordReset" ("accountId")`,
    `create index if not exists password_reset_expires on "passwordReset" ("expiresAt")`,
  ],
};
