import { AppError } from "../errors.ts";
import type { Principal } from "./principal.ts";

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
