import { isUuid } from "../../../formats/uuid.ts";
import type { Write } from "../../write/write.ts";
import { type Author, type Batch, personKey, read, some, type Team, within } from "./batch.ts";
import type { Person, Row } from "./input.ts";
import { loadNamed } from "./load-named.ts";

/**
 * Reads everything that the rows of a call name, a statement a table, however many rows there are. Raw SQL, as all of this:
 * lists are single parameters.
 */
export async function loadBatch(write: Write, given: { source: string; dryRun: boolean }, rows: readonly Row[]) {
  const batch: Batch = {
    write,
    ...given,
    teams: new Map(),
    labels: new Map(),
    projects: new Map(),
    statuses: new Map(),
    milestones: new Map(),
    cycles: new Map(),
    members: new Map(),
    people: new Map(),
    issues: new Map(),
    comments: new Map(),
    identifiers: new Set(),
    numbers: new Set(),
  };
  await Promise.all([
    loadTeams(batch, rows),
    loadLabels(batch, rows),
    loadProjects(batch, rows),
    loadMilestones(batch, rows),
    loadPeople(batch, rows),
    loadNamed(batch, rows),
  ]);
  await loadNumbers(batch, rows);
  return batch;
}

const teamKeys = (rows: readonly Row[]): string[] =>
  some(
    rows.flatMap(({ kind, fields }) =>
      kind === "team" ? [fields.key] : kind === "project" ? fields.teams : "team" in fields ? [fields.team] : [],
    ),
  );

async function loadTeams(batch: Batch, rows: readonly Row[]): Promise<void> {
  const keys = teamKeys(rows);
  if (keys.length === 0) return;
  const teams = await read<Omit<Team, "states"> & { names: string[] }>(
    batch,
    `select t.id, t.key, t."issueCounter", t."cycleCounter", t."defaultStateId", t.proof,
        array_agg(k.key) as names,
        exists (select 1 from issue i where i."organizationId" = $1 and i."teamId" = t.id) as used
      from "teamKey" k join team t on t."organizationId" = k."organizationId" and t.id = k."teamId"
      where k."organizationId" = $1 and k.key = any($2::text[]) and t."archivedAt" is null
      group by t."organizationId", t.id`,
    [keys],
  );
  const ids = teams.map(({ id }) => id);
  const [states, cycles] = await Promise.all([
    read<{ id: string; teamId: string; name: string; type: string; position: number }>(
      batch,
      `select id, "teamId", name, type, position from "workflowState"
        where "organizationId" = $1 and "teamId" = any($2::uuid[]) and "archivedAt" is null`,
      [ids],
    ),
    read<{ id: string; teamId: string; number: number }>(
      batch,
      `select id, "teamId", number from cycle
        where "organizationId" = $1 and "teamId" = any($2::uuid[]) and number = any($3::integer[])`,
      [ids, some(rows.map(numberOfCycle))],
    ),
  ]);
  for (const { names, ...team } of teams) {
    const own = states.filter(({ teamId }) => teamId === team.id);
    const found = { ...team, states: new Map(own.map((state) => [state.name.toLowerCase(), state])) };
    for (const name of names) batch.teams.set(name, found);
  }
  for (const { id, teamId, number } of cycles) batch.cycles.set(within(teamId, number), id);
}

const numberOfCycle = ({ kind, fields }: Row): number | null | undefined =>
  kind === "cycle" ? fields.number : kind === "issue" ? fields.cycle : undefined;

async function loadLabels(batch: Batch, rows: readonly Row[]): Promise<void> {
  const names = some(
    rows.flatMap(({ kind, fields }) =>
      kind === "label" ? [fields.name, fields.group] : "labels" in fields ? (fields.labels ?? []) : [],
    ),
  ).map((name) => name.toLowerCase());
  if (names.length === 0) return;
  const labels = await read<{ id: string; name: string; teamId: string | null; isGroup: boolean }>(
    batch,
    `select id, name, "teamId", "isGroup" from "issueLabel"
      where "organizationId" = $1 and lower(name) = any($2::text[]) and "archivedAt" is null`,
    [names],
  );
  for (const { id, name, teamId, isGroup } of labels) batch.labels.set(within(teamId, name), { id, isGroup });
}

async function loadProjects(batch: Batch, rows: readonly Row[]): Promise<void> {
  const names = some(
    rows.flatMap(({ kind, fields }) =>
      kind === "project" ? [fields.id ?? fields.name] : "project" in fields ? [fields.project] : [],
    ),
  ).map((name) => name.toLowerCase());
  if (names.length === 0) return;
  const [projects, statuses] = await Promise.all([
    read<{ id: string; name: string }>(
      batch,
      `select id, name from project where "organizationId" = $1 and trashed is not true
        and (id = any($2::uuid[]) or lower(name) = any($3::text[])) order by "createdAt" desc, id`,
      [names.filter(isUuid), names],
    ),
    read<{ id: string; name: string; type: string; position: number }>(
      batch,
      `select id, name, type, position from "projectStatus" where "organizationId" = $1 and "archivedAt" is null
        order by position, id`,
      [],
    ),
  ]);
  for (const { id, name } of projects) batch.projects.set(id, id).set(name.toLowerCase(), id);
  for (const { name, ...status } of statuses) batch.statuses.set(name.toLowerCase(), status);
}

async function loadMilestones(batch: Batch, rows: readonly Row[]): Promise<void> {
  const ids = some(rows.map(({ kind, fields }) => (kind === "issue" ? fields.milestone : undefined)));
  if (ids.length === 0) return;
  const milestones = await read<{ id: string; projectId: string }>(
    batch,
    `select id, "projectId" from "projectMilestone" where "organizationId" = $1 and id = any($2::uuid[])
      and "archivedAt" is null`,
    [ids],
  );
  for (const { id, projectId } of milestones) batch.milestones.set(id, projectId);
}

const peopleOf = ({ kind, fields }: Row): (Person | null | undefined)[] =>
  kind === "issue" ? [fields.creator, fields.assignee] : kind === "comment" ? [fields.author] : [];

async function loadPeople(batch: Batch, rows: readonly Row[]): Promise<void> {
  const people = some(rows.flatMap(peopleOf));
  if (people.length === 0) return;
  const [members, others] = await Promise.all([
    read<{ id: string; email: string; assignable: boolean }>(
      batch,
      `select id, lower(email) as email, active and not app as assignable from "user"
        where "organizationId" = $1 and lower(email) = any($2::text[])`,
      [some(people.map(({ email }) => email))],
    ),
    read<{ id: string; name: string; email: string | null }>(
      batch,
      `select id, name, email from "externalUser" where "organizationId" = $1 and name = any($2::text[])`,
      [some(people.map(({ name }) => name))],
    ),
  ]);
  for (const { id, email, assignable } of members) batch.members.set(email, { userId: id, assignable });
  for (const { id, name, email } of others)
    batch.people.set(personKey(name, email), { externalUserId: id } satisfies Author);
}

/** A number that an identifier asks for, in the team of that key. */
export function wantedNumber(identifier: string | null | undefined): { key: string; number: number } | undefined {
  const [, key, digits] = /^([A-Za-z][A-Za-z0-9]{0,6})-([1-9][0-9]{0,8})$/.exec(identifier ?? "") ?? [];
  return key && digits ? { key: key.toUpperCase(), number: Number(digits) } : undefined;
}

async function loadNumbers(batch: Batch, rows: readonly Row[]): Promise<void> {
  const wanted = rows.flatMap(({ kind, fields }) => {
    const number = kind === "issue" ? wantedNumber(fields.identifier) : undefined;
    const team = number && batch.teams.get(number.key);
    return team ? [{ teamId: team.id, number: number.number }] : [];
  });
  if (wanted.length === 0) return;
  const lists = [wanted.map(({ teamId }) => teamId), wanted.map(({ number }) => number)];
  const taken = await read<{ teamId: string; number: number }>(
    batch,
    `with w as (select * from unnest($2::uuid[], $3::integer[]) w ("teamId", number))
      select w.* from w join issue i on i."organizationId" = $1 and i."teamId" = w."teamId" and i.number = w.number
      union select w.* from w join "issueAlias" a
        on a."organizationId" = $1 and a."teamId" = w."teamId" and a.number = w.number`,
    lists,
  );
  for (const { teamId, number } of taken) batch.numbers.add(within(teamId, number));
}
