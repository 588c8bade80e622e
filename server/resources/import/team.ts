import { isSameName, NameMap } from "../../../formats/names.ts";
import { newId } from "../../id.ts";
import { createRow, updateRow } from "../../write/change.ts";
import { findRowOrThrow, findRowsOrThrow } from "../../write/find.ts";
import { archive } from "../archive.ts";
import { DEFAULT_COLOR } from "../fields.ts";
import { READY_STATE_TYPES } from "../issue/readiness.ts";
import { assignTeamKey, DEFAULT_WORKFLOW_STATES } from "../team/write.ts";
import type { ImportBatch, ImportOutcome, ImportTeam } from "./batch.ts";
import type { ImportRow } from "./input.ts";

type Fields = ImportRow<"team">;
type State = NonNullable<Fields["states"]>[number];
/**
 * Imports a team. If the team exists without issues and the row lists states (as exports do), the team is changed to
 * match the row. Any other existing team only gets the states that it lacks.
 */
export async function importTeam(batch: ImportBatch, fields: Fields): Promise<ImportOutcome> {
  const there = batch.teams.get(fields.key);
  if (!there) return { status: "created", entityId: (await addTeam(batch, fields)).id };
  const { states } = fields;
  const changed =
    there.used || !states?.length ? addMissing(batch, there, states ?? []) : await remake(batch, there, fields);
  return { status: changed ? "created" : "exists", entityId: there.id };
}

const usual: readonly State[] = DEFAULT_WORKFLOW_STATES.map(([name, type, color], position) => ({
  name,
  type,
  color,
  position,
}));

async function addTeam(batch: ImportBatch, fields: Fields): Promise<ImportTeam> {
  const { write, teams, dryRun } = batch;
  const id = newId();
  await assignTeamKey(write, id, fields.key, dryRun);
  const defaultStateId = newId();
  const team: ImportTeam = {
    ...{ id, key: fields.key, issueCounter: 0, cycleCounter: 0, defaultStateId, used: false, states: new NameMap() },
  };
  const { key, name, description, color, icon } = fields;
  createRow(write, "Team", {
    ...{ id, key, description, color, icon, defaultStateId },
    name: name ?? key,
    private: false,
    issueCounter: 0,
    cycleCounter: 0,
    readyStateTypes: [...READY_STATE_TYPES],
  });
  const states = fields.states?.length ? fields.states : usual;
  const first = initial(states, fields);
  for (const state of states) addState(batch, team, { ...state, id: state === first ? defaultStateId : newId() });
  teams.set(key, team);
  return team;
}

/** Returns the state of new issues: the named default state, else the first state. */
const initial = (states: readonly State[], { defaultState }: Fields): State | undefined =>
  states.find(({ name }) => defaultState && isSameName(name, defaultState)) ?? states[0];

/** Adds a state to a team, at the end unless a position is given. */
export function addState(
  { write }: ImportBatch,
  team: ImportTeam,
  { id = newId(), name, type, ...more }: Pick<State, "name" | "type"> & Partial<State> & { id?: string },
) {
  const last = Math.max(-1, ...[...team.states.values()].map(({ position }) => position));
  const state = { id, name, type, position: more.position ?? last + 1 };
  const { color, description } = more;
  createRow(write, "WorkflowState", { ...state, teamId: team.id, color: color ?? DEFAULT_COLOR, description });
  team.states.set(name, state);
  return state;
}

function addMissing(batch: ImportBatch, team: ImportTeam, states: readonly State[]): boolean {
  const missing = states.filter(({ name }) => !team.states.has(name));
  for (const state of missing) addState(batch, team, state);
  return missing.length > 0;
}

/** Changes a team without issues to match a row: name, appearance, and exactly the states. */
async function remake(batch: ImportBatch, team: ImportTeam, fields: Fields): Promise<boolean> {
  const { write } = batch;
  const before = await findRowOrThrow(write, "Team", team.id);
  const states = fields.states ?? [];
  const changed = await remakeStates(batch, team, states);
  const defaultStateId = team.states.get(initial(states, fields)?.name ?? "")?.id ?? team.defaultStateId;
  const also = { defaultIssueStateId: { before: before.defaultStateId, after: defaultStateId } };
  const { name, description, color, icon } = fields;
  const patch = { name: name ?? undefined, description, color, icon, defaultStateId };
  team.defaultStateId = defaultStateId;
  return updateRow(write, "Team", before, patch, { also }) || changed;
}

async function remakeStates(batch: ImportBatch, team: ImportTeam, states: readonly State[]): Promise<boolean> {
  const { write } = batch;
  const named = new NameMap(states.map((state) => [state.name, state]));
  const taken = new Set<State>();
  let changed = false;
  const rows = await findRowsOrThrow(
    write,
    "WorkflowState",
    [...team.states.values()].map(({ id }) => id),
  );
  for (const row of rows) {
    const state = named.get(row.name);
    // Two existing states may have names that differ only in their Unicode normal form. Each state in the imported row
    // updates only one of them.
    if (state && !taken.has(state)) {
      taken.add(state);
      const { name, type, description, position } = state;
      const color = state.color ?? undefined;
      changed = updateRow(write, "WorkflowState", row, { name, type, description, position, color }) || changed;
      team.states.set(row.name, { id: row.id, name, type, position });
    } else {
      archive(write, "WorkflowState", row);
      team.states.delete(row.name);
      changed = true;
    }
  }
  return addMissing(batch, team, states) || changed;
}
