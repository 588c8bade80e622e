import { getOwnProperty } from "../../../formats/own.ts";
import { conflict } from "../../errors.ts";
import { isGiven } from "../../read/connection/page.ts";
import { findRow, findRowOrThrow } from "../../write/find.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import type { Mutation } from "../resource.ts";

/**
 * Rejects a write by a caller who no longer holds the issue. A caller who sends a fence claims to hold the issue now,
 * so the fence must be current. Without a fence, an agent may write to an issue only if nobody, a user or the same
 * agent holds the issue.
 * @throws conflict with the current holder
 */
export async function checkFence(
  write: WriteContext,
  issue: LoadedRow<"Issue">,
  fence: number | null | undefined,
): Promise<void> {
  if (!isGiven(fence)) return checkHolder(write, issue);
  await checkPresentedFence(write, issue, fence);
  if (issue.trippedBy)
    throw conflict(`fence ${fence} is no longer valid: ${await describeCurrentHolder(write, issue)}`);
}

/** Returns a mutation on an issue that first runs `checkHolder`, the check for writes without a fence. */
export const withHolderCheck = (mutation: Mutation): Mutation => ({
  ...mutation,
  run: async (write, args) => {
    await checkHolder(write, await findRowOrThrow(write, "Issue", String(args.id)));
    return mutation.run(write, args);
  },
});

/**
 * Checks a write of an agent that sends no fence. Rejects the write if another agent holds the issue, or if the agent's
 * claim was stopped at a limit. An agent may also use the key of a user. Therefore a caller with a key cannot continue
 * a stopped claim of the same user; only a signed-in user can.
 * @throws conflict with the current holder
 */
export async function checkHolder(write: WriteContext, issue: LoadedRow<"Issue">): Promise<void> {
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
export async function checkHolderForAgent(write: WriteContext, issue: LoadedRow<"Issue">): Promise<void> {
  if (await isAgent(write, write.scope.userId)) await checkHolder(write, issue);
}

export const isAgent = async (write: WriteContext, userId: string | null): Promise<boolean> =>
  userId !== null && (await findRow(write, "User", userId))?.app === true;

/**
 * Rejects a fence that is not current. Actions that are allowed on a stopped lease use this check: releasing the issue,
 * or taking over the lease.
 * @throws conflict with the current holder
 */
export async function checkPresentedFence(
  write: WriteContext,
  issue: LoadedRow<"Issue">,
  fence: number | null | undefined,
): Promise<void> {
  if (!isGiven(fence) || (issue.leased && issue.fence === fence)) return;
  throw conflict(`fence ${fence} is stale: ${await describeCurrentHolder(write, issue)}`);
}

/** A current lease, with the holder's name, and with times in PostgreSQL's JSON format. */
export type CurrentLease = Pick<
  LoadedRow<"IssueLease">,
  "holderId" | "sessionId" | "stateId" | "formerId" | "trippedBy"
> &
  Record<"name" | "since" | "until", string>;

/** Returns the lease of an issue. Raw SQL: formats the times. */
export async function readLease(write: WriteContext, { id }: { id: string }): Promise<CurrentLease | undefined> {
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
export function describeHolder({ identifier }: LoadedRow<"Issue">, lease: CurrentLease | undefined): string {
  if (!lease) return `nobody holds ${identifier} now; look at it, and claim it again to go on`;
  const { name, sessionId, since, until, trippedBy } = lease;
  const session = sessionId === null ? "" : ` in session ${sessionId}`;
  const held = `${name} holds ${identifier}${session} since ${since}`;
  if (trippedBy === null) return `${held}, until ${until} unless renewed`;
  return `${held}, and reached the limit of ${getOwnProperty(LIMIT_NAMES, trippedBy)}: release it, or take it over, to go on`;
}

/** Returns a sentence about the current holder of an issue. */
export const describeCurrentHolder = async (write: WriteContext, issue: LoadedRow<"Issue">): Promise<string> =>
  describeHolder(issue, await readLease(write, issue));
