import { knex, toStatement } from "../../../db/builder.ts";
import { type ChangeOptions, dropLinks, setInternal, update } from "../../write/change.ts";
import { removeForGood } from "../../write/deletion/remove-for-good.ts";
import { target } from "../../write/find.ts";
import type { Found, Patch } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { archive } from "../archive.ts";
import { isOpen, keepReadiness } from "./readiness.ts";

/**
 * Changes an issue, and what depends on it: a lease ends when its holder is not to work on the issue any more, and
 * others become ready, or cease to be, when it is closed or opened again. Every change of an issue goes through this.
 * A lease takes back what its claim set. A state that was set since is no such thing: the lease leaves the issue there.
 */
export function changeIssue(
  write: Write,
  before: Found<"Issue">,
  patch: Patch<"Issue">,
  options: ChangeOptions = {},
): void {
  const after = { ...before, ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) };
  const ends = before.leased && !(after.leased && mayHold(before, after));
  if (ends) dropLinks(write, "issueLease", { id: before.id, fence: before.fence });
  else if (before.leased && after.stateId !== before.stateId) {
    setInternal(write, "IssueLease", before.id, { stateId: after.stateId });
  }
  const holderId = { before: before.holderId, after: null };
  update(write, "Issue", before, ends ? { ...patch, leased: false } : patch, {
    ...options,
    also: { ...options.also, ...(ends && { holderId }) },
  });
  if (isOpen(before) !== isOpen(after)) keepReadiness(write, [before.id]);
}

/** Tells whether who holds an issue still does after a change. */
const mayHold = (before: Found<"Issue">, after: Found<"Issue">): boolean =>
  isOpen(after) && after.teamId === before.teamId && after[heldAs(before)] === before.holderId;

/** The field that a claim set: an agent becomes the delegate, a person the assignee. Changing it ends the lease. */
export const heldAs = ({ delegateId, holderId }: Pick<Found<"Issue">, "delegateId" | "holderId">) =>
  delegateId === holderId ? "delegateId" : "assigneeId";

/** Moves an issue to the trash; `permanentlyDelete`, for owners, removes it at once. */
export async function issueDelete(
  write: Write,
  { id, permanentlyDelete }: { id: string; permanentlyDelete?: boolean | null },
) {
  const before = await target(write, "Issue", id);
  if (!permanentlyDelete) archive(write, "Issue", before, true, changeIssue);
  else {
    keepReadiness(write, await neighbours(write, before.id));
    await removeForGood(write, "Issue", before, before.trashed ? "silent" : undefined);
  }
  return { id: before.id };
}

/** The issues that one is related to, in either direction. */
async function neighbours({ scope, trx }: Write, issueId: string): Promise<string[]> {
  const { organizationId } = scope;
  const of = (column: string, other: string) =>
    knex("issueRelation")
      .where({ organizationId, [column]: issueId })
      .select({ id: other });
  const both = of("issueId", "relatedIssueId").union(of("relatedIssueId", "issueId"));
  return (await trx.query<{ id: string }>(toStatement(both))).map(({ id }) => id);
}
