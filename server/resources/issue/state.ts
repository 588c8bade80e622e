import { compiled, knex } from "../../../db/builder.ts";
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

const statesOfTeam = compiled("states-of-team", ["organizationId", "teamId"], (team) =>
  knex("workflowState")
    .where({ ...team, archivedAt: null })
    .orderBy(["position", "id"])
    .select("id", "name", "type"),
);

/** The state an issue takes in the team it moves to: of the same name, else of the same type, else the default. */
export async function stateAfterMove(write: Write, state: StateOf, team: Found<"Team">): Promise<StateOf> {
  const { organizationId } = write.scope;
  const states = await write.trx.query<StateOf>(statesOfTeam({ organizationId, teamId: team.id }));
  const named = (row: StateOf) => row.name.toLowerCase() === state.name.toLowerCase();
  return states.find(named) ?? states.find(({ type }) => type === state.type) ?? team.defaultIssueState;
}
