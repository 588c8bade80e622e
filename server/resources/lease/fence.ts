import { readOwn } from "../../../formats/own.ts";
import { conflict } from "../../errors.ts";
import { isGiven } from "../../read/connection/page.ts";
import { findRow, findTarget } from "../../write/find.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import type { Mutation } from "../resource.ts";

/**
 * Rejects a write by a former holder. A fence in a write means that the caller claims to hold the issue now. Without
 * a fence, an agent may write to an issue that the same agent, a user or nobody holds.
 * @throws conflict with the current holder
 */
export async function checkFence(write: Write, issue: Found<"Issue">, fence: number | null | undefined): Promise<void> {
  if (!isGiven(fence)) return checkHolder(write, issue);
  await checkPresentedFence(write, issue, fence);
  if (issue.trippedBy)
    throw conflict(`fence ${fence} is no longer valid: ${await describeCurrentHolder(write, issue)}`);
}

/** Adds the check for writes without a fence to a mutation on an issue. */
export const checkingHolder = (mutation: Mutation): Mutation => ({
  ...mutation,
  run: async (write, args) => {
    await checkHolder(write, await findTarget(write, "Issue", String(args.id)));
    return mutation.run(write, args);
  },
});

/**
 * Rejects an agent's write without a fence to an issue that another agent holds, or whose claim was stopped at a
 * limit. Because agents also use the keys of users, no caller with a key may continue a stopped claim of the same
 * user.
 * @throws conflict with the current holder
 */
export async function checkHolder(write: Write, issue: Found<"Issue">): Promise<void> {
  const { system, userId, signedIn } = write.scope;
  if (!issue.leased || system) return;
  const [isOwn, isStopped] = [issue.holderId === userId, issue.trippedBy !== null];
  if (!(isOwn && isStopped && !signedIn) && !(await isAgent(write, userId))) return;
  if (!isStopped && (isOwn || !(await isAgent(write, issue.holderId)))) return;
  const words = await describeCurrentHolder(write, issue);
  throw conflict(
    `${words}; an agent may comment on the issue, but needs the fence of its claim for other changes`,
    undefined,
    "fence",
  );
}

/**
 * Rejects an agent that would end another agent's claim, or a stopped claim, without sending the fence.
 * @throws conflict with the current holder
 */
export async function checkAgent(write: Write, issue: Found<"Issue">): Promise<void> {
  if (await isAgent(write, write.scope.userId)) await checkHolder(write, issue);
}

export const isAgent = async (write: Write, userId: string | null): Promise<boolean> =>
  userId !== null && (await findRow(write, "User", userId))?.app === true;

/**
 * Checks the fence for actions that are allowed on a stopped lease: releasing the issue, or taking it over.
 * @throws conflict with the current holder
 */
export async function checkPresentedFence(
  write: Write,
  issue: Found<"Issue">,
  fence: number | null | undefined,
): Promise<void> {
  if (!isGiven(fence) || (issue.leased && issue.fence === fence)) return;
  throw conflict(`fence ${fence} is stale: ${await describeCurrentHolder(write, issue)}`);
}

/** A current lease, with the holder's name, and with times in PostgreSQL's JSON format. */
export type CurrentLease = Pick<Found<"IssueLease">, "holderId" | "sessionId" | "stateId" | "formerId" | "trippedBy"> &
  Record<"name" | "since" | "until", string>;

/** Returns the lease of an issue. Raw SQL: formats the times. */
export async function readLease(write: Write, { id }: { id: string }): Promise<CurrentLease | undefined> {
  const [lease] = await write.trx.query<CurrentLease>({
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

/** Names of the limits of a lease. */
export const LIMIT_NAMES: Readonly<Record<string, string>> = {
  cost: "cost",
  tokens: "tokens",
  minutes: "minutes",
  equalCalls: "equal calls",
};

/** Returns a sentence about the holder of an issue. */
export function describeHolder({ identifier }: Found<"Issue">, lease: CurrentLease | undefined): string {
  if (!lease) return `nobody holds ${identifier} now; look at it, and claim it again to go on`;
  const { name, sessionId, since, until, trippedBy } = lease;
  const session = sessionId === null ? "" : ` in session ${sessionId}`;
  const held = `${name} holds ${identifier}${session} since ${since}`;
  if (trippedBy === null) return `${held}, until ${until} unless renewed`;
  return `${held}, and reached the limit of ${readOwn(LIMIT_NAMES, trippedBy)}: release it, or take it over, to go on`;
}

/** Returns a sentence about the current holder of an issue. */
export const describeCurrentHolder = async (write: Write, issue: Found<"Issue">): Promise<string> =>
  describeHolder(issue, await readLease(write, issue));
