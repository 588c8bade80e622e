import { compiled, knex } from "../../../db/builder.ts";
import { conflict } from "../../errors.ts";
import type { Found } from "../../write/rows.ts";
import type { Write } from "../../write/write.ts";

/** The part of a state that an issue in it depends on. */
export type StateOf = Pick<Found<"WorkflowState">, "id" | "name" | "type">;

type Moments = Pick<Found<"Issue">, "startedAt" | "completedAt" | "canceledAt">;
type Stamps = Moments & Pick<Found<"Issue">, "stateId" | "stateType">;
const NONE: Moments = { startedAt: null, completedAt: null, canceledAt: null };
/** The types of states of issues, and of statuses of projects, in which nothing has begun. */
const WAITING = new Set(["triage", "backlog", "unstarted", "planned"]);

/** The moments that entering a state, or a project's status, stamps, and those that leaving one clears. */
export const momentsOf = ({ at }: Write, type: string, before: Moments = NONE): Moments => ({
  startedAt: WAITING.has(type) ? null : type === "started" ? (before.startedAt ?? at) : before.startedAt,
  completedAt: type === "completed" ? (before.completedAt ?? at) : null,
  canceledAt: type === "canceled" || type === "duplicate" ? (before.canceledAt ?? at) : null,
});

/** The columns of an issue that entering a state sets. */
export const stateStamps = (write: Write, { id, type }: StateOf, before?: Moments): Stamps => ({
  stateId: id,
  stateType: type,
  ...momentsOf(write, type, before),
});

const selectStates = compiled(
  "states-of-team",
  ["organizationId", "teamId"],
  (team) =>
    knex("workflowState")
      .where({ ...team, archivedAt: null })
      .orderBy(["position", "id"])
      .select("id", "name", "type"),
  { reads: ["workflowState"] },
);

const statesOf = ({ scope, trx }: Write, teamId: string): Promise<StateOf[]> =>
  trx.query<StateOf>(selectStates({ organizationId: scope.organizationId, teamId }));

/** The first state of a type that a team has. @throws conflict when it has none */
export async function firstState(write: Write, teamId: string, type: string): Promise<StateOf> {
  const state = (await statesOf(write, teamId)).find((each) => each.type === type);
  if (!state) throw conflict(`the team has no state of type ${type}; create one with workflowStateCreate`);
  return state;
}

/** The state an issue takes in the team it moves to: of the same name, else of the same type, else the default. */
export async function stateAfterMove(write: Write, state: StateOf, team: Found<"Team">): Promise<StateOf> {
  const states = await statesOf(write, team.id);
  const named = (row: StateOf) => row.name.toLowerCase() === state.name.toLowerCase();
  return states.find(named) ?? states.find(({ type }) => type === state.type) ?? team.defaultIssueState;
}
