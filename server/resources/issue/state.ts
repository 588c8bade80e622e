import type { Found } from "../../write/find.ts";
import type { Raw, Write } from "../../write/write.ts";

/** The moments that entering a state stamps on an issue, and those that leaving one clears (decisions §3). */
export function stateStamps(write: Write, state: Raw, before: Raw = {}): Raw {
  const begun = state.type === "backlog" || state.type === "unstarted";
  return {
    startedAt: begun ? null : state.type === "started" ? (before.startedAt ?? write.at) : (before.startedAt ?? null),
    completedAt: state.type === "completed" ? (before.completedAt ?? write.at) : null,
    canceledAt: state.type === "canceled" || state.type === "duplicate" ? (before.canceledAt ?? write.at) : null,
  };
}

/** The state an issue takes in the team it moves to: of the same name, else of the same type, else the default. */
export async function stateAfterMove(write: Write, state: Found, team: Found): Promise<Found> {
  const states = await write.trx.query<Found>({
    name: "states-of-team",
    text: `select id, name, type from "workflowState"
      where "organizationId" = $1 and "teamId" = $2 and "archivedAt" is null order by position, id`,
    values: [write.scope.organizationId, team.id],
  });
  const named = (row: Found) => String(row.name).toLowerCase() === String(state.name).toLowerCase();
  return states.find(named) ?? states.find(({ type }) => type === state.type) ?? (team.defaultIssueState as Found);
}
