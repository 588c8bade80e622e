import { z } from "zod";
import { readOwn } from "../../../formats/own.ts";
import type { Role } from "../members/member.ts";
import { ProviderFailure } from "./connection.ts";
import { domainOf, type GroupRole, type SignInProvider } from "./provider.ts";

/** A person as the provider describes them, checked. */
export interface Person {
  issuer: string;
  /** The id at the issuer, by which the person is known again. */
  subject: string;
  email: string;
  name: string;
  groups: string[];
  /** The session at the provider, by which it can end this one. */
  session: string | null;
}

/** The reasons for which a person is not signed in, as the page knows them. */
export type Refusal =
  | "denied"
  | "expired"
  | "provider"
  | "unverified"
  | "domain"
  | "group"
  | "removed"
  | "other_person"
  | "closed";

/** A person who is not signed in. */
export class SignInRefused extends Error {
  readonly reason: Refusal;

  constructor(reason: Refusal) {
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
 * Makes a person of the claims that the provider signed or answered.
 * @throws SignInRefused `unverified` or `domain`; ProviderFailure for claims that cannot be read
 */
export function personOf(provider: SignInProvider, claims: Readonly<Record<string, unknown>>): Person {
  const { data } = claimsSchema.safeParse(claims);
  if (!data) throw new ProviderFailure("the claims of the person are malformed");
  const { iss: issuer, sub: subject, email, email_verified, name, sid } = data;
  // Some providers answer with the word: only the value of the standard counts.
  if (!email || email_verified !== true) throw new SignInRefused("unverified");
  if (!provider.domains.includes(domainOf(email))) throw new SignInRefused("domain");
  const groups = groupsSchema.safeParse(readOwn(claims, provider.groupsClaim) ?? []);
  if (!groups.success) throw new ProviderFailure(`the claim ${provider.groupsClaim} is no list of names`);
  const fallback = email.slice(0, email.lastIndexOf("@"));
  return { issuer, subject, email, name: name ?? fallback, groups: groups.data, session: sid ?? null };
}

/** The role that groups give: null where they let nobody in, undefined where roles are given in Trackway alone. */
export function roleOf(groupRoles: readonly GroupRole[], groups: readonly string[]): Role | null | undefined {
  if (groupRoles.length === 0) return undefined;
  const roles = groupRoles.filter(({ group }) => groups.includes(group)).map(({ role }) => role);
  if (roles.length === 0) return null;
  return roles.includes("owner") ? "owner" : "member";
}
