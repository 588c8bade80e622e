import type { OAuthScope } from "./scopes.ts";

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
