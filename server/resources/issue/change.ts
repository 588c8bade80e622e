import { type ChangeOptions, dropLinks, update } from "../../write/change.ts";
import type { Found, Patch } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { isOpen, keepReadiness } from "./readiness.ts";

/**
 * Changes an issue, and what depends on it: a lease ends when its holder is not to work on the issue any more, and
 * others become ready, or cease to be, when it is closed or opened again. Every change of an issue goes through this.
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
  const holderId = { before: before.holderId, after: null };
  update(write, "Issue", before, ends ? { ...patch, leased: false } : patch, {
    ...options,
    also: { ...options.also, ...(ends && { holderId }) },
  });
  if (isOpen(before) !== isOpen(after)) keepReadiness(write, [before.id]);
}

/** Whether who holds an issue still does after a change. */
function mayHold(before: Found<"Issue">, after: Found<"Issue">): boolean {
  const { holderId } = before;
  return isOpen(after) && after.teamId === before.teamId && [after.assigneeId, after.delegateId].includes(holderId);
}
