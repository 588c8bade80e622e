import { readOwn } from "../../../formats/own.ts";
import { conflict } from "../../errors.ts";
import { isGiven } from "../../read/connection/page.ts";
import { find, target } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import type { Mutation } from "../resource.ts";

/**
 * Refuses a write of somebody who held the issue once: whoever sends a fence says that they hold it now. Without one, an
 * agent writes what itself, a person or nobody holds.
 * @throws conflict naming who holds it
 */
export async function checkFence(write: Write, issue: Found<"Issue">, fence: number | null | undefined): Promise<void> {
  if (!isGiven(fence)) return checkHolder(write, issue);
  await checkPresent(write, issue, fence);
  if (issue.trippedBy) throw conflict(`fence ${fence} counts no more: ${await heldBy(write, issue)}`);
}

/** Adds the check of a write without a fence to a mutation that names an issue. */
export const checkingHolder = (mutation: Mutation): Mutation => ({
  ...mutation,
  run: async (write, args) => {
    await checkHolder(write, await target(write, "Issue", String(args.id)));
    return mutation.run(write, args);
  },
});

/**
 * Refuses an agent's write without a fence to an issue that another agent holds, or whose claim was stopped at a limit.
 * Agents work with the keys of people too: by a key, nobody goes on with a claim of their own that was stopped.
 * @throws conflict naming who holds it
 */
export async function checkHolder(write: Write, issue: Found<"Issue">): Promise<void> {
  const { system, userId, signedIn } = write.scope;
  if (!issue.leased || system) return;
  const [isOwn, isStopped] = [issue.holderId === userId, issue.trippedBy !== null];
  if (!(isOwn && isStopped && !signedIn) && !(await isAgent(write, userId))) return;
  if (!isStopped && (isOwn || !(await isAgent(write, issue.holderId)))) return;
  const words = await heldBy(write, issue);
  throw conflict(`${words}; an agent may comment on it, and writes it with the fence of a claim`, undefined, "fence");
}

/**
 * Refuses an agent that ends the claim of another agent, or one that was stopped, without its fence.
 * @throws conflict naming who holds it
 */
export async function checkAgent(write: Write, issue: Found<"Issue">): Promise<void> {
  if (await isAgent(write, write.scope.userId)) await checkHolder(write, issue);
}

export const isAgent = async (write: Write, userId: string | null): Promise<boolean> =>
  userId !== null && (await find(write, "User", userId))?.app === true;

/**
 * The same for what may be done with a lease that was stopped: to give the issue back, or to take it over.
 * @throws conflict naming who holds it
 */
export async function checkPresent(
  write: Write,
  issue: Found<"Issue">,
  fence: number | null | undefined,
): Promise<void> {
  if (!isGiven(fence) || (issue.leased && issue.fence === fence)) return;
  throw conflict(`fence ${fence} is stale: ${await heldBy(write, issue)}`);
}

/** A lease that stands, with the name of its holder, and its times as the database spells them in JSON. */
export type Standing = Pick<Found<"IssueLease">, "holderId" | "sessionId" | "stateId" | "formerId" | "trippedBy"> &
  Record<"name" | "since" | "until", string>;

/** The lease of an issue. Raw SQL: its times. */
export async function leaseOf(write: Write, { id }: { id: string }): Promise<Standing | undefined> {
  const [lease] = await write.trx.query<Standing>({
    name: "standing-lease",
    text: `select l."holderId", l."sessionId", l."stateId", l."formerId", l."trippedBy", u.name,
        to_json(l."grantedAt") #>> '{}' as since, to_json(l."expiresAt") #>> '{}' as until
      from "issueLease" l join "user" u on u."organizationId" = l."organizationId" and u.id = l."holderId"
      where l."organizationId" = $1 and l.id = $2`,
    values: [write.scope.organizationId, id],
    reads: ["issueLease", "user"],
    writes: [],
  });
  return lease;
}

/** The limits of a lease, in words. */
export const LIMIT_NAMES: Readonly<Record<string, string>> = {
  cost: "cost",
  tokens: "tokens",
  minutes: "minutes",
  equalCalls: "equal calls",
};

/** The holder of an issue, in words. */
export function inWords({ identifier }: Found<"Issue">, lease: Standing | undefined): string {
  if (!lease) return `nobody holds ${identifier} now; look at it, and claim it again to go on`;
  const { name, sessionId, since, until, trippedBy } = lease;
  const session = sessionId === null ? "" : ` in session ${sessionId}`;
  const held = `${name} holds ${identifier}${session} since ${since}`;
  if (trippedBy === null) return `${held}, until ${until} unless renewed`;
  return `${held}, and reached the limit of ${readOwn(LIMIT_NAMES, trippedBy)}: release it, or take it over, to go on`;
}

/** The same of whoever holds it now. */
export const heldBy = async (write: Write, issue: Found<"Issue">): Promise<string> =>
  inWords(issue, await leaseOf(write, issue));
