import { readOwn } from "../../../formats/own.ts";
import { conflict } from "../../errors.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";

/**
 * Refuses a write of somebody who held the issue once: whoever sends a fence says that they hold it now. A write without
 * one is a person's.
 * @throws conflict naming who holds it
 */
export async function checkFence(write: Write, issue: Found<"Issue">, fence: number | null | undefined): Promise<void> {
  await checkPresent(write, issue, fence);
  if (fence === null || fence === undefined || !issue.trippedBy) return;
  throw conflict(`fence ${fence} counts no more: ${await heldBy(write, issue)}`);
}

/**
 * The same for what may be done with a lease that was stopped: to give the issue back, or to take it over.
 * @throws conflict naming who holds it
 */
export async function checkPresent(
  write: Write,
  issue: Found<"Issue">,
  fence: number | null | undefined,
): Promise<void> {
  if (fence === null || fence === undefined) return;
  if (issue.leased && issue.fence === fence) return;
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
