import { addLink } from "../../write/change.ts";
import { target, targets } from "../../write/find.ts";
import { load } from "../../write/load.ts";
import type { Found, Patch } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";
import { nextNumber } from "./create.ts";
import { type StateOf, stateAfterMove } from "./state.ts";

/** The changes that a move to another team makes to an issue. */
interface Moved {
  patch: Patch<"Issue">;
  also: { identifier: { before: unknown; after: unknown } };
  /** The state it takes there, unless the input names one. */
  state: StateOf | undefined;
  /** The labels it keeps: those of the whole organization. */
  labelIds: string[];
}

/**
 * Moves an issue: it gets the next number of its new team and keeps the old identifier as an alias;
 * its cycle and the labels of the old team are dropped.
 */
export async function moved(
  write: Write,
  issue: Found<"Issue">,
  team: Found<"Team">,
  stateId: StateOf | undefined,
): Promise<Moved> {
  const labels = issue.labelIds;
  await load(write, [["WorkflowState", issue.stateId], ...labels.map((id) => ["IssueLabel", id] as const)]);
  const number = nextNumber(write, team);
  const previousIdentifiers = [...issue.previousIdentifiers, issue.identifier];
  addLink(write, "issueAlias", { teamId: issue.teamId, number: issue.number, issueId: issue.id });
  const state = stateId
    ? undefined
    : await stateAfterMove(write, await target(write, "WorkflowState", issue.stateId), team);
  const kept = (await targets(write, "IssueLabel", labels)).filter(({ teamId }) => !teamId || teamId === team.id);
  return {
    patch: { teamId: team.id, number, previousIdentifiers, cycleId: null },
    also: { identifier: { before: issue.identifier, after: `${team.key}-${number}` } },
    state,
    labelIds: kept.map(({ id }) => id),
  };
}
