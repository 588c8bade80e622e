import { CHECK_FUNCTION } from "../checks.ts";
import type { Migration } from "./columns.ts";

/**
 * Accounts and logins are global; a `user` is an account's membership in one organization (docs/architecture.md). With
 * them the keys of an organization, the providers by which people sign in, and what is spent by whom.
 */
export const accounts: Migration = {
  id: "0101-accounts",
  statements: [
    // Statements check by it what they rely on, and fail with a SQLSTATE of ours.
    CHECK_FUNCTION,
    `create table if not exists account (
      id uuid primary key,
      email text not null constraint account_email_key unique,
      "passwordHash" text,
      name text not null,
      "lastOrganizationId" uuid,
      "createdAt" timestamptz(3) not null
    )`,
    // A restore of an older backup deletes these again. Their ids say nothing of anybody.
    `create table if not exists "deletedAccount" (
      id uuid primary key,
      "deletedAt" timestamptz(3) not null
    )`,
    // A login by an organization's OpenID provider opens that organization alone.
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
    // A link that signs an owner in: good once, and not for long.
    `create table if not exists welcome (
      hash bytea primary key,
      "accountId" uuid not null references account (id) on delete cascade,
      "expiresAt" timestamptz(3) not null
    )`,
    `create index if not exists welcome_account on welcome ("accountId")`,
    // A link that lets somebody choose a new password: good once, for an hour.
    `create table if not exists "passwordReset" (
      hash bytea primary key,
      "accountId" uuid not null references account (id) on delete cascade,
      "expiresAt" timestamptz(3) not null
    )`,
    `create index if not exists password_reset_account on "passwordReset" ("accountId")`,
    `create index if not exists password_reset_expires on "passwordReset" ("expiresAt")`,
    // Guesses at passwords: attempts counts failures and the checks under way.
    `create table if not exists throttle (
      key text primary key,
      attempts integer not null,
      failures integer not null,
      until timestamptz(3) not null
    )`,
    // A deleted organization has deletedAt from the first moment; its rows go in slices. deletionKey: of the hashes in
    // recorded_tombstone; it stays with them in backups and under another server secret.
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
    // A key may leave prompts and contents out of the observations of its connectors, and keep every unknown span.
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
    // The organization is all zeros for entries about an account or the server alone.
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
    // The page of the audit filters by the noun of an event and by its account. The first is the filter's expression to the letter.
    `create index if not exists audit_noun on audit ("organizationId", (split_part(event, '.', 1)), id)`,
    `create index if not exists audit_account on audit ("organizationId", "accountId", id)`,
    // Budgets of /graphql, refilled whenever one is taken from. level is the rest; the statement that takes computes with the other numbers.
    `create table if not exists budget (
      "organizationId" uuid not null, "userId" uuid not null, kind text not null, level double precision not null,
      hourly double precision not null, need double precision not null, returned double precision not null,
      granted double precision not null, at timestamptz(3) not null,
      primary key ("organizationId", "userId", kind)
    )`,
    // Sign-in by an organization's own OpenID provider.
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
    // A person at the provider and their account here. leftAt: their groups let them in no more, and may do so again.
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
    // Things that count once: the state of a sign-in, a person who has yet to give their password, a logout token.
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
