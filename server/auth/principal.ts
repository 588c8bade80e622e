import { AppError } from "../errors.ts";

/** OAuth scopes: read data, change data, and store recordings. */
export const OAUTH_SCOPES = ["read", "write", "record"] as const;

/** A scope of OAuth. */
export type OAuthScope = (typeof OAUTH_SCOPES)[number];

/**
 * Checks that a credential has a scope. Only OAuth tokens have scopes; a key or a login's token has all rights of its
 * user.
 * @throws forbidden (403) with the scope, as in RFC 6750.
 */
export function requireScope({ scopes }: Principal, scope: OAuthScope): void {
  if (scopes && !scopes.includes(scope)) throw insufficientScope(scope);
}

export const insufficientScope = (scope: OAuthScope): AppError =>
  new AppError("forbidden", `The token lacks the scope ${scope}: connect again, and allow it.`, {
    tag: "insufficient_scope",
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
  });

/** The caller, identified by any kind of credential. A token without an organization claim has no organization. */
export interface Principal {
  accountId: string;
  organizationId: string | null;
  userId: string | null;
  role: "owner" | "member" | null;
  /** Kind of credential: a JWT access token, a personal key, or an app's OAuth token. */
  kind: "token" | "key" | "oauth";
  /** Id under which the credential can be revoked: the id of a token's login, of the key, or of the OAuth grant. */
  credentialId: string;
  /** Expiry, in milliseconds since 1970; null for a key without expiry. */
  expiresAt: number | null;
  /** True for the key of an agent. */
  app?: boolean;
  /**
   * True for a token of a login through the organization's OpenID provider. The token gives access only to that
   * organization.
   */
  oidc?: boolean;
  /** Scopes of an OAuth token. A credential without scopes has all rights of the credential's holder. */
  scopes?: readonly OAuthScope[];
}

/**
 * SQL condition that is true if logins by password give access to an organization. The condition is false if the
 * organization requires sign-in through the organization's OpenID provider.
 * @param organizationId SQL for the organization's id
 */
export const allowsPasswordsSql = (organizationId: string): string =>
  `not exists (select from "oidcProvider" p where p."organizationId" = ${organizationId} and p.required)`;
