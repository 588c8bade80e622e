import { newId } from "../../id.ts";
import { create, update } from "../../write/change.ts";
import { target, targets } from "../../write/find.ts";
import { archive } from "../archive.ts";
import { DEFAULT_COLOR } from "../fields.ts";
import { READY_STATE_TYPES } from "../issue/readiness.ts";
import { claimKey, DEFAULT_STATES } from "../team/write.ts";
import type { Batch, Outcome, Team } from "./batch.ts";
import type { RowOf } from "./input.ts";

type Fields = RowOf<"team">;
type State = NonNullable<Fields["states"]>[number];
/**
 * Imports a team. One without issues becomes as the row says, if that says its states, as exports do; any other only gets
 * the states it lacks.
 */
export async function importTeam(batch: Batch, fields: Fields): Promise<Outcome> {
  const there = batch.teams.get(fields.key);
  if (!there) return { status: "created", entityId: (await addTeam(batch, fields)).id };
  const { states } = fields;
  const changed =
    there.used || !states?.length ? addMissing(batch, there, states ?? []) : await remake(batch, there, fields);
  return { status: changed ? "created" : "exists", entityId: there.id };
}

const usual: readonly State[] = DEFAULT_STATES.map(([name, type, color], position) => ({
  name,
  type,
  color,
  position,
}));

async function addTeam(batch: Batch, fields: Fields): Promise<Team> {
  const { write, teams, dryRun } = batch;
  const id = newId();
  await claimKey(write, id, fields.key, dryRun);
  const defaultStateId = newId();
  const team: Team = {
    ...{ id, key: fields.key, issueCounter: 0, cycleCounter: 0, defaultStateId, used: false, states: new Map() },
  };
  const { key, name, description, color, icon } = fields;
  create(write, "Team", {
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

/** The state where new issues start: the one that is named, else the first. */
const initial = (states: readonly State[], { defaultState }: Fields): State | undefined =>
  states.find(({ name }) => name.toLowerCase() === defaultState?.toLowerCase()) ?? states[0];

/** Adds a state to a team, after the others unless a position is given. */
export function addState(
  { write }: Batch,
  team: Team,
  { id = newId(), name, type, ...more }: Pick<State, "name" | "type"> & Partial<State> & { id?: string },
) {
  const last = Math.max(-1, ...[...team.states.values()].map(({ position }) => position));
  const state = { id, name, type, position: more.position ?? last + 1 };
  const { color, description } = more;
  create(write, "WorkflowState", { ...state, teamId: team.id, color: color ?? DEFAULT_COLOR, description });
  team.states.set(name.toLowerCase(), state);
  return state;
}

function addMissing(batch: Batch, team: Team, states: readonly State[]): boolean {
  const missing = states.filter(({ name }) => !team.states.has(name.toLowerCase()));
  for (const state of missing) addState(batch, team, state);
  return missing.length > 0;
}

/** Makes a team without issues as a row says: its name and looks, and exactly its states. */
async function remake(batch: Batch, team: Team, fields: Fields): Promise<boolean> {
  const { write } = batch;
  const before = await target(write, "Team", team.id);
  const states = fields.states ?? [];
  const changed = await remakeStates(batch, team, states);
  const defaultStateId = team.states.get(initial(states, fields)?.name.toLowerCase() ?? "")?.id ?? team.defaultStateId;
  const also = { defaultIssueStateId: { before: before.defaultStateId, after: defaultStateId } };
  const { name, description, color, icon } = fields;
  const patch = { name: name ?? undefined, description, color, icon, defaultStateId };
  team.defaultStateId = defaultStateId;
  return update(write, "Team", before, patch, { also }) || changed;
}

async function remakeStates(batch: Batch, team: Team, states: readonly State[]): Promise<boolean> {
  const { write } = batch;
  const named = new Map(states.map((state) => [state.name.toLowerCase(), state]));
  let changed = false;
  const rows = await targets(
    write,
    "WorkflowState",
    [...team.states.values()].map(({ id }) => id),
  );
  for (const row of rows) {
    const key = row.name.toLowerCase();
    const state = named.get(key);
    if (state) {
      const { name, type, description, position } = state;
      const color = state.color ?? undefined;
      changed = update(write, "WorkflowState", row, { name, type, description, position, color }) || changed;
      team.states.set(key, { id: row.id, name, type, position });
    } else {
      archive(write, "WorkflowState", row);
      team.states.delete(key);
      changed = true;
    }
  }
  return addMissing(batch, team, states) || changed;
}
