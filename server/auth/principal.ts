import { AppError } from "../errors.ts";

/** The scopes of OAuth: see, change, and store what agents did. */
export const SCOPES = ["read", "write", "record"] as const;

/** One of them. */
export type OAuthScope = (typeof SCOPES)[number];

/**
 * Makes sure that a credential has a scope. Only OAuth tokens have scopes: a key or a login's token has all rights of
 * its person.
 * @throws forbidden (403) naming the scope, as RFC 6750 has it.
 */
export function requireScope({ scopes }: Principal, scope: OAuthScope): void {
  if (scopes && !scopes.includes(scope)) throw insufficientScope(scope);
}

/** The refusal of a token without a scope. */
export const insufficientScope = (scope: OAuthScope): AppError =>
  new AppError("forbidden", `The token lacks the scope ${scope}: connect again, and allow it.`, {
    tag: "insufficient_scope",
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scope}"` },
  });

/** The caller, by any kind of credential. A token without the organization claim has no organization. */
export interface Principal {
  accountId: string;
  organizationId: string | null;
  userId: string | null;
  role: "owner" | "member" | null;
  /** The kind of credential: a JWT access token, a personal key, or a token that OAuth gave a program. */
  kind: "token" | "key" | "oauth";
  /** The login family of a token, the id of a key or of an OAuth grant: what revocation names. */
  credentialId: string;
  /** When it ends, epoch ms; null for a key without an end. */
  expiresAt: number | null;
  /** True for an agent's key. */
  app?: boolean;
  /** True for a token of a login by the organization's OpenID provider, which opens that organization alone. */
  oidc?: boolean;
  /** The scopes of an OAuth token; other credentials have all the rights of their holder. */
  scopes?: readonly OAuthScope[];
}

/**
 * SQL that is true for an organization that logins by password open. One that demands its OpenID provider is opened by
 * logins of that alone.
 * @param organizationId SQL of its id
 */
export const takesPasswords = (organizationId: string): string =>
  `not exists (select from "oidcProvider" p where p."organizationId" = ${organizationId} and p.required)`;
