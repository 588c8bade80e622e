import { knex, toStatement } from "../../../db/builder.ts";
import { type ChangeOptions, deleteLinkRows, setInternalColumns, updateRow } from "../../write/change.ts";
import { deleteRowPermanently } from "../../write/deletion/remove-for-good.ts";
import { findRowOrThrow } from "../../write/find.ts";
import type { LoadedRow, RowPatch } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { archive } from "../archive.ts";
import { isOpen, updateReadiness } from "./readiness.ts";

/**
 * Changes an issue, and updates everything that depends on the change. All code that changes an issue calls this
 * function. The lease ends when the holder must no longer work on the issue. Other issues become ready, or stop being
 * ready, when the issue is closed or reopened. A lease that ends undoes the state that the claim set, but keeps a state
 * that was set after the claim.
 */
export function changeIssue(
  write: WriteContext,
  before: LoadedRow<"Issue">,
  patch: RowPatch<"Issue">,
  options: ChangeOptions = {},
): void {
  const after = { ...before, ...Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) };
  const ends = before.leased && !(after.leased && mayHold(before, after));
  if (ends) deleteLinkRows(write, "issueLease", { id: before.id, fence: before.fence });
  else if (before.leased && after.stateId !== before.stateId) {
    setInternalColumns(write, "IssueLease", before.id, { stateId: after.stateId });
  }
  const holderId = { before: before.holderId, after: null };
  updateRow(write, "Issue", before, ends ? { ...patch, leased: false } : patch, {
    ...options,
    also: { ...options.also, ...(ends && { holderId }) },
  });
  if (isOpen(before) !== isOpen(after)) updateReadiness(write, [before.id]);
}

/** Returns true if the holder of an issue keeps the issue after a change. */
const mayHold = (before: LoadedRow<"Issue">, after: LoadedRow<"Issue">): boolean =>
  isOpen(after) && after.teamId === before.teamId && after[holderField(before)] === before.holderId;

/**
 * Returns the field that a claim sets: `delegateId` for an agent, `assigneeId` for a user. Changing the field ends
 * the lease.
 */
export const holderField = ({ delegateId, holderId }: Pick<LoadedRow<"Issue">, "delegateId" | "holderId">) =>
  delegateId === holderId ? "delegateId" : "assigneeId";

/** Moves an issue to the trash. `permanentlyDelete`, for owners, deletes the issue immediately. */
export async function issueDelete(
  write: WriteContext,
  { id, permanentlyDelete }: { id: string; permanentlyDelete?: boolean | null },
) {
  const before = await findRowOrThrow(write, "Issue", id);
  if (!permanentlyDelete) archive(write, "Issue", before, true, changeIssue);
  else {
    updateReadiness(write, await neighbours(write, before.id));
    await deleteRowPermanently(write, "Issue", before, before.trashed ? "silent" : undefined);
  }
  return { id: before.id };
}

/** Returns the issues that are related to an issue, in either direction. */
async function neighbours({ scope, trx }: WriteContext, issueId: string): Promise<string[]> {
  const { organizationId } = scope;
  const of = (column: string, other: string) =>
    knex("issueRelation")
      .where({ organizationId, [column]: issueId })
      .select({ id: other });
  const both = of("issueId", "relatedIssueId").union(of("relatedIssueId", "issueId"));
  return (await trx.query<{ id: string }>(toStatement(both))).map(({ id }) => id);
}
