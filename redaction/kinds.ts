import { TOKENS } from "./rules.ts";

/** The kinds of secrets that need no pattern of an organization: no pattern may take their names. */
export const BUILT_IN_KINDS: ReadonlySet<string> = new Set([
  ...TOKENS.map(({ kind }) => kind),
  ...["private-key", "url-password", "authorization", "bearer", "basic-auth", "cookie", "password", "secret", "header"],
  ...["random-value", "email", "phone", "iban", "card-number"],
]);
