import type { Migration } from "./index.ts";

/**
 * OAuth: clients are known to the whole server; a grant of a person to one of them is in one organization. A grant
 * that ends is deleted, and its tokens with it.
 */
export const oauth: Migration = {
  id: "0108-oauth",
  statements: [
    // A registered client has a made-up id; one with a metadata document has the document's URL, and fetchedAt.
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
    // The keys that may capture at this moment: ingest keys, and access tokens with the scope record.
    `create or replace view "captureKey" as
      select hash, "organizationId" from "ingestKey"
      union all
      select t.hash, t."organizationId" from "oauthToken" t
        join "oauthGrant" g on g."organizationId" = t."organizationId" and g.id = t."grantId" and 'record' = any(g.scopes)
        join "user" u on u."organizationId" = g."organizationId" and u.id = g."userId" and u.active
       where t.kind = 'access' and t."expiresAt" > now()`,
  ],
};
