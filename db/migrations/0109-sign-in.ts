import type { Migration } from "./index.ts";

/** Sign-in by an organization's own OpenID provider. */
export const signIn: Migration = {
  id: "0109-sign-in",
  statements: [
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
