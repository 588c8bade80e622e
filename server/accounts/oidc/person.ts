import { z } from "zod";
import { getOwnProperty } from "../../../formats/own.ts";
import type { Role } from "../members/member.ts";
import { ProviderFailure } from "./connection.ts";
import { type GroupRole, parseEmailDomain, type SignInProvider } from "./provider.ts";

/** A user as the provider describes them, after validation. */
export interface ProviderUser {
  issuer: string;
  /** Id of the user at the issuer. Trackway recognizes a returning user by the user's id at the issuer. */
  subject: string;
  email: string;
  name: string;
  groups: string[];
  /** Id of the user's session at the provider. The provider can end the login in Trackway by this id. */
  session: string | null;
}

/** Reasons for refusing a sign-in, as the page receives them. */
export type SignInRefusalReason =
  | "denied"
  | "expired"
  | "provider"
  | "unverified"
  | "domain"
  | "group"
  | "removed"
  | "other_person"
  | "closed";

/** Error for a user who is refused. */
export class SignInRefused extends Error {
  readonly reason: SignInRefusalReason;

  constructor(reason: SignInRefusalReason) {
    super(reason);
    this.reason = reason;
  }
}

const MOST_GROUPS = 1_000;
const text = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((value) => !value.includes("\0") && !/\p{Surrogate}/u.test(value));

const claimsSchema = z.object({
  iss: z.string(),
  sub: text(255),
  email: z.string().toLowerCase().pipe(z.email().max(254)).optional(),
  email_verified: z.unknown().optional(),
  name: text(256).optional().catch(undefined),
  sid: text(255).nullish(),
});

const groupsSchema = z.union([z.array(text(255)).max(MOST_GROUPS), text(255).transform((one) => [one])]);

/**
 * Validates the claims that the provider signed or returned, and converts the claims to a user.
 * @throws SignInRefused `unverified` or `domain`; ProviderFailure for malformed claims
 */
export function parseProviderUser(provider: SignInProvider, claims: Readonly<Record<string, unknown>>): ProviderUser {
  const { data } = claimsSchema.safeParse(claims);
  if (!data) throw new ProviderFailure("the claims of the person are malformed");
  const { iss: issuer, sub: subject, email, email_verified, name, sid } = data;
  // Some providers return the string "true" instead of the boolean. Only the boolean is accepted, as the standard
  // requires.
  if (!email || email_verified !== true) throw new SignInRefused("unverified");
  if (!provider.domains.includes(parseEmailDomain(email))) throw new SignInRefused("domain");
  const groups = groupsSchema.safeParse(getOwnProperty(claims, provider.groupsClaim) ?? []);
  if (!groups.success) throw new ProviderFailure(`the claim ${provider.groupsClaim} is not a list of names`);
  const fallback = email.slice(0, email.lastIndexOf("@"));
  return { issuer, subject, email, name: name ?? fallback, groups: groups.data, session: sid ?? null };
}

/**
 * Returns the role that groups give: null if the groups allow no access, undefined if roles are set only in Trackway.
 */
export function selectRole(groupRoles: readonly GroupRole[], groups: readonly string[]): Role | null | undefined {
  if (groupRoles.length === 0) return undefined;
  const roles = groupRoles.filter(({ group }) => groups.includes(group)).map(({ role }) => role);
  if (roles.length === 0) return null;
  return roles.includes("owner") ? "owner" : "member";
}
