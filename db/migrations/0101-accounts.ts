import { CHECK_FUNCTION_SQL } from "../checks.ts";
import type { Migration } from "./columns.ts";

/**
 * Accounts and logins are global. A `user` is the membership of an account in one organization (docs/architecture.md).
 * The migration also creates the keys and the OpenID provider of an organization, and the budgets of users.
 */
export const accounts: Migration = {
  id: "0101-accounts",
  statements: [
    // Statements check assumptions with the function `check_holds`. A failed check has a SQLSTATE of Trackway.
    CHECK_FUNCTION_SQL,
    `create table if not exists account (
      id uuid primary key,
      email text not null constraint account_email_key unique,
      "passwordHash" text,
      name text not null,
      "lastOrganizationId" uuid,
      "createdAt" timestamptz(3) not null
    )`,
    // After a restore of an older backup, the server deletes these accounts again. An id contains no personal data.
    `create table if not exists "deletedAccount" (
      id uuid primary key,
      "deletedAt" timestamptz(3) not null
    )`,
    // A login through the OpenID provider of an organization is valid only in that organization.
    `create table if not exists login (
      id uuid primary key,
      "accountId" uuid not null references account (id),
      "organizationId" uuid,
      "oidcSession" text,
      "createdAt" timestamptz(3) not null,
      "expiresAt" timestamptz(3) not null,
      "revokedAt" timestamptz(3)
    )`,
    `create index if not exists login_account on login ("accountId")`,
    `create index if not exists login_organization on login ("organizationId", "accountId") where "organizationId" is not null`,
    `create table if not exists "refreshToken" (
      hash bytea primary key,
      "loginId" uuid not null references login (id),
      "parentHash" bytea,
      "organizationId" uuid,
      "createdAt" timestamptz(3) not null,
      "rotatedAt" timestamptz(3),
      "retiredAt" timestamptz(3)
    )`,
    `create index if not exists refresh_token_login on "refreshToken" ("loginId")`,
    `create index if not exists refresh_token_created on "refreshToken" ("createdAt")`,
    `create index if not exists refresh_token_parent on "refreshToken" ("parentHash")`,
    // A link that signs an owner in. The link works once and expires soon.
    `create table if not exists welcome (
      hash bytea primary key,
      "accountId" uuid not null references account (id) on delete cascade,
      "expiresAt" timestamptz(3) not null
    )`,
    `create index if not exists welcome_account on welcome ("accountId")`,
    // A link for choosing a new password. The link works once and expires after an hour.
    `create table if not exists "passwordReset" (
      hash bytea primary key,
      "accountId" uuid not null references account (id) on delete cascade,
      "expiresAt" timestamptz(3) not null
    )`,
    `create index if not exists password_reset_account on "passwordReset" ("accountId")`,
    `create index if not exists password_reset_expires on "passwordReset" ("expiresAt")`,
    // Limits guesses of passwords. attempts counts failures and running checks.
    `create table if not exists throttle (
      key text primary key,
      attempts integer not null,
      failures integer not null,
      until timestamptz(3) not null
    )`,
    // deletedAt is set at the beginning of a deletion; a job deletes the rows in slices. deletionKey is the key of the
    // hashes in recorded_tombstone. The key is stored in the database, because the same backups must contain the key
    // and the hashes, independent of the server's secret.
    `create table if not exists organization (
      id uuid primary key,
      name text not null,
      "urlKey" text not null constraint organization_url_key unique,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "previousUrlKeys" text[] not null default '{}',
      "deletedAt" timestamptz(3),
      "searchLanguage" text not null default 'english',
      "redactionEnabled" boolean not null default true,
      "redactionEntropy" boolean not null default false,
      "redactionPersonalData" boolean not null default false,
      "redactionPatterns" jsonb not null default '[]',
      "pricesEnabled" boolean not null default true,
      "ownPrices" jsonb not null default '[]',
      "retentionSessionDays" integer,
      "retentionTextDays" integer,
      "retentionAgents" jsonb not null default '[]',
      "deletionKey" bytea not null default uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())
    )`,
    `create index if not exists organization_deleted on organization (id) where "deletedAt" is not null`,
    `create table if not exists "user" (
      "organizationId" uuid not null references organization (id),
      id uuid not null,
      "accountId" uuid not null,
      role text not null,
      active boolean not null default true,
      name text not null,
      "displayName" text not null,
      email text not null,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null,
      "archivedAt" timestamptz(3),
      app boolean not null default false,
      "onBehalfOfId" uuid,
      primary key ("organizationId", id),
      constraint user_account_key unique ("organizationId", "accountId")
    )`,
    `create index if not exists user_account on "user" ("accountId")`,
    `create table if not exists "apiKey" (
      hash bytea primary key,
      id uuid not null constraint api_key_id_key unique,
      "organizationId" uuid not null,
      "userId" uuid not null,
      label text not null,
      last4 text not null,
      "createdAt" timestamptz(3) not null,
      "lastUsedAt" timestamptz(3),
      "expiresAt" timestamptz(3)
    )`,
    `create index if not exists api_key_expires on "apiKey" ("expiresAt") where "expiresAt" is not null`,
    `create index if not exists api_key_user on "apiKey" ("organizationId", "userId")`,
    // A key can omit prompts and contents from the observations of its connectors, and can store every unknown span.
    `create table if not exists "ingestKey" (
      hash bytea primary key,
      id uuid not null constraint ingest_key_id_key unique,
      "organizationId" uuid not null,
      name text not null,
      prefix text not null,
      last4 text not null,
      "createdAt" timestamptz(3) not null,
      "lastUsedAt" timestamptz(3),
      "omitPrompts" boolean not null default false,
      "omitToolContents" boolean not null default false,
      "keepUnknownSpans" boolean not null default false
    )`,
    `create index if not exists ingest_key_organization on "ingestKey" ("organizationId")`,
    `create table if not exists invitation (
      hash bytea primary key,
      id uuid not null constraint invitation_id_key unique,
      "organizationId" uuid not null,
      email text not null,
      "invitedBy" uuid not null,
      "createdAt" timestamptz(3) not null,
      "expiresAt" timestamptz(3) not null,
      "acceptedAt" timestamptz(3)
    )`,
    `create index if not exists invitation_organization on invitation ("organizationId")`,
    // The organization is all zeros for entries that concern only an account or the server.
    `create table if not exists audit (
      "organizationId" uuid not null,
      id uuid not null,
      "accountId" uuid,
      event text not null,
      detail jsonb not null,
      "createdAt" timestamptz(3) not null,
      primary key ("organizationId", id)
    )`,
    `create index if not exists audit_created on audit ("createdAt")`,
    // The page of the audit filters by the first word of an event and by account. The expression of the first index
    // must match the filter exactly.
    `create index if not exists audit_noun on audit ("organizationId", (split_part(event, '.', 1)), id)`,
    `create index if not exists audit_account on audit ("organizationId", "accountId", id)`,
    // Budgets of /graphql, refilled at every withdrawal. level is the remaining budget. The other numbers are inputs of
    // the statement that withdraws.
    `create table if not exists budget (
      "organizationId" uuid not null, "userId" uuid not null, kind text not null, level double precision not null,
      hourly double precision not null, need double precision not null, returned double precision not null,
      granted double precision not null, at timestamptz(3) not null,
      primary key ("organizationId", "userId", kind)
    )`,
    // Sign-in through the OpenID provider of an organization.
    `create table if not exists "oidcProvider" (
      "organizationId" uuid primary key references organization (id),
      issuer text not null,
      "clientId" text not null,
      "secretEncrypted" bytea not null,
      domains text[] not null,
      "groupsClaim" text not null,
      "groupRoles" jsonb not null,
      required boolean not null default false,
      "createdAt" timestamptz(3) not null,
      "updatedAt" timestamptz(3) not null
    )`,
    `create index if not exists oidc_provider_domains on "oidcProvider" using gin (domains)`,
    // A person at the provider, and the person's account on the server. leftAt: the person's groups no longer permit
    // access, but may permit access again.
    `create table if not exists "oidcIdentity" (
      "organizationId" uuid not null references organization (id),
      issuer text not null,
      subject text not null,
      "accountId" uuid not null,
      "createdAt" timestamptz(3) not null,
      "leftAt" timestamptz(3),
      primary key ("organizationId", issuer, subject)
    )`,
    `create index if not exists oidc_identity_account on "oidcIdentity" ("organizationId", "accountId")`,
    // Values that can be used once: the state of a sign-in, a person who must still enter a password, a logout token.
    `create table if not exists "oidcOnce" (
      "organizationId" uuid not null references organization (id),
      hash bytea not null,
      "returnTo" text,
      person jsonb,
      "expiresAt" timestamptz(3) not null,
      primary key ("organizationId", hash)
    )`,
    `create index if not exists oidc_once_expires on "oidcOnce" ("organizationId", "expiresAt")`,
  ],
};
