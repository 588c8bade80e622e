import type { OAuthScope } from "./scopes.ts";

/** Who is asking, whichever credential said so. A token without the organization claim has no organization. */
export interface Principal {
  accountId: string;
  organizationId: string | null;
  userId: string | null;
  role: "owner" | "member" | null;
  /** What was presented: a JWT access token, a personal key, or a token that OAuth gave a program. */
  kind: "token" | "key" | "oauth";
  /** The login family of a token, the id of a key or of an OAuth grant: what revocation names. */
  credentialId: string;
  /** When a token ends, epoch ms; a key does not. */
  expiresAt: number | null;
  /** What an OAuth token may do; other credentials may do all that their holder may. */
  scopes?: readonly OAuthScope[];
}
