import { definePreparedStatement, knex } from "../../../db/builder.ts";
import { isSameName } from "../../../formats/names.ts";
import { conflict } from "../../errors.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";

/** The fields of a workflow state that the issues in the state depend on. */
export type StateFields = Pick<LoadedRow<"WorkflowState">, "id" | "name" | "type">;

type Moments = Pick<LoadedRow<"Issue">, "startedAt" | "completedAt" | "canceledAt">;
type Stamps = Moments & Pick<LoadedRow<"Issue">, "stateId" | "stateType">;
const NONE: Moments = { startedAt: null, completedAt: null, canceledAt: null };
/** Types of issue states and project statuses before work begins. */
const WAITING = new Set(["triage", "backlog", "unstarted", "planned"]);

/**
 * Returns the timestamps of an issue or project after it enters a state or status of the given type. `completedAt` and
 * `canceledAt` are set on entering the matching type, and cleared on leaving. `startedAt` is set when work starts, and
 * cleared only by a type before the start of work.
 */
export const stateTimestamps = ({ at }: WriteContext, type: string, before: Moments = NONE): Moments => ({
  startedAt: WAITING.has(type) ? null : type === "started" ? (before.startedAt ?? at) : before.startedAt,
  completedAt: type === "completed" ? (before.completedAt ?? at) : null,
  canceledAt: type === "canceled" || type === "duplicate" ? (before.canceledAt ?? at) : null,
});

/** Returns the columns of an issue that change when the issue enters a state. */
export const stateEntryColumns = (write: WriteContext, { id, type }: StateFields, before?: Moments): Stamps => ({
  stateId: id,
  stateType: type,
  ...stateTimestamps(write, type, before),
});

const selectStates = definePreparedStatement(
  "states-of-team",
  ["organizationId", "teamId"],
  (team) =>
    knex("workflowState")
      .where({ ...team, archivedAt: null })
      .orderBy(["position", "id"])
      .select("id", "name", "type"),
  { reads: ["workflowState"] },
);

const statesOf = ({ scope, trx }: WriteContext, teamId: string): Promise<StateFields[]> =>
  trx.query<StateFields>(selectStates({ organizationId: scope.organizationId, teamId }));

/** Returns a team's first state of a type. @throws conflict if the team has no state of the type */
export async function firstState(write: WriteContext, teamId: string, type: string): Promise<StateFields> {
  const state = (await statesOf(write, teamId)).find((each) => each.type === type);
  if (!state) throw conflict(`the team has no state of type ${type}; create one with workflowStateCreate`);
  return state;
}

/**
 * Returns the state of an issue after a move to another team: the state with the same name, else of the same type,
 * else the default state.
 */
export async function stateAfterMove(
  write: WriteContext,
  state: StateFields,
  team: LoadedRow<"Team">,
): Promise<StateFields> {
  const states = await statesOf(write, team.id);
  const named = (row: StateFields) => isSameName(row.name, state.name);
  return states.find(named) ?? states.find(({ type }) => type === state.type) ?? team.defaultIssueState;
}
