import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";

/** What of a state an issue in it depends on. */
export type StateOf = Pick<Found<"WorkflowState">, "id" | "name" | "type">;

type Stamps = Pick<Found<"Issue">, "startedAt" | "completedAt" | "canceledAt">;
const NONE: Stamps = { startedAt: null, completedAt: null, canceledAt: null };

/** The moments that entering a state stamps on an issue, and those that leaving one clears. */
export function stateStamps(write: Write, { type }: StateOf, before: Stamps = NONE): Stamps {
  const begun = type === "backlog" || type === "unstarted";
  return {
    startedAt: begun ? null : type === "started" ? (before.startedAt ?? write.at) : before.startedAt,
    completedAt: type === "completed" ? (before.completedAt ?? write.at) : null,
    canceledAt: type === "canceled" || type === "duplicate" ? (before.canceledAt ?? write.at) : null,
  };
}

/** The state an issue takes in the team it moves to: of the same name, else of the same type, else the default. */
export async function stateAfterMove(write: Write, state: StateOf, team: Found<"Team">): Promise<StateOf> {
  const states = await write.trx.query<StateOf>({
    name: "states-of-team",
    text: `select id, name, type from "workflowState"
      where "organizationId" = $1 and "teamId" = $2 and "archivedAt" is null order by position, id`,
    values: [write.scope.organizationId, team.id],
  });
  const named = (row: StateOf) => row.name.toLowerCase() === state.name.toLowerCase();
  return states.find(named) ?? states.find(({ type }) => type === state.type) ?? team.defaultIssueState;
}
