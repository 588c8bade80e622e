import { buildLowerCaseNfcSql, buildNfcConditionSql } from "../../../db/text/canonical.ts";
import { NameMap, toCanonicalText, toComparableName } from "../../../formats/names.ts";
import { isUuid } from "../../../formats/uuid.ts";
import type { WriteContext } from "../../write/write.ts";
import {
  type Author,
  distinctValues,
  type ImportBatch,
  type ImportTeam,
  personKey,
  queryOrganizationRows,
  scopedKey,
} from "./batch.ts";
import type { Person, ValidImportRow } from "./input.ts";
import { loadNamedIssuesAndComments } from "./load-named.ts";

/**
 * Reads the existing rows that the imported rows match or refer to. The number of statements depends on the number of
 * tables, not on the number of rows. Raw SQL, like all statements here: each list is a single parameter.
 */
export async function loadBatch(
  write: WriteContext,
  given: { source: string; dryRun: boolean },
  rows: readonly ValidImportRow[],
) {
  const batch: ImportBatch = {
    write,
    ...given,
    teams: new Map(),
    labels: new NameMap(),
    projects: new NameMap(),
    statuses: new NameMap(),
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
    loadNamedIssuesAndComments(batch, rows),
  ]);
  await loadNumbers(batch, rows);
  return batch;
}

const teamKeys = (rows: readonly ValidImportRow[]): string[] =>
  distinctValues(
    rows.flatMap(({ kind, fields }) =>
      kind === "team" ? [fields.key] : kind === "project" ? fields.teams : "team" in fields ? [fields.team] : [],
    ),
  );

async function loadTeams(batch: ImportBatch, rows: readonly ValidImportRow[]): Promise<void> {
  const keys = teamKeys(rows);
  if (keys.length === 0) return;
  const teams = await queryOrganizationRows<Omit<ImportTeam, "states"> & { names: string[] }>(
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
    queryOrganizationRows<{ id: string; teamId: string; name: string; type: string; position: number }>(
      batch,
      `select id, "teamId", name, type, position from "workflowState"
        where "organizationId" = $1 and "teamId" = any($2::uuid[]) and "archivedAt" is null`,
      [ids],
    ),
    queryOrganizationRows<{ id: string; teamId: string; number: number }>(
      batch,
      `select id, "teamId", number from cycle
        where "organizationId" = $1 and "teamId" = any($2::uuid[]) and number = any($3::integer[])`,
      [ids, distinctValues(rows.map(numberOfCycle))],
    ),
  ]);
  for (const { names, ...team } of teams) {
    const own = states.filter(({ teamId }) => teamId === team.id);
    const found = { ...team, states: new NameMap(own.map((state) => [state.name, state])) };
    for (const name of names) batch.teams.set(name, found);
  }
  for (const { id, teamId, number } of cycles) batch.cycles.set(scopedKey(teamId, number), id);
}

const numberOfCycle = ({ kind, fields }: ValidImportRow): number | null | undefined =>
  kind === "cycle" ? fields.number : kind === "issue" ? fields.cycle : undefined;

async function loadLabels(batch: ImportBatch, rows: readonly ValidImportRow[]): Promise<void> {
  const names = distinctValues(
    rows.flatMap(({ kind, fields }) =>
      kind === "label" ? [fields.name, fields.group] : "labels" in fields ? (fields.labels ?? []) : [],
    ),
  ).map(toComparableName);
  if (names.length === 0) return;
  const labels = await queryOrganizationRows<{ id: string; name: string; teamId: string | null; isGroup: boolean }>(
    batch,
    `select id, name, "teamId", "isGroup" from "issueLabel"
      where "organizationId" = $1 and ${buildLowerCaseNfcSql("name")} = any($2::text[]) and "archivedAt" is null`,
    [names],
  );
  for (const { id, name, teamId, isGroup } of labels) batch.labels.set(scopedKey(teamId, name), { id, isGroup });
}

async function loadProjects(batch: ImportBatch, rows: readonly ValidImportRow[]): Promise<void> {
  const names = distinctValues(
    rows.flatMap(({ kind, fields }) =>
      kind === "project" ? [fields.id ?? fields.name] : "project" in fields ? [fields.project] : [],
    ),
  ).map(toComparableName);
  if (names.length === 0) return;
  const [projects, statuses] = await Promise.all([
    queryOrganizationRows<{ id: string; name: string }>(
      batch,
      `select id, name from project where "organizationId" = $1 and trashed is not true
        and (id = any($2::uuid[]) or ${buildLowerCaseNfcSql("name")} = any($3::text[])) order by "createdAt" desc, id`,
      [names.filter(isUuid), names],
    ),
    queryOrganizationRows<{ id: string; name: string; type: string; position: number }>(
      batch,
      `select id, name, type, position from "projectStatus" where "organizationId" = $1 and "archivedAt" is null
        order by position, id`,
      [],
    ),
  ]);
  for (const { id, name } of projects) batch.projects.set(id, id).set(name, id);
  for (const { name, ...status } of statuses) batch.statuses.set(name, status);
}

async function loadMilestones(batch: ImportBatch, rows: readonly ValidImportRow[]): Promise<void> {
  const ids = distinctValues(rows.map(({ kind, fields }) => (kind === "issue" ? fields.milestone : undefined)));
  if (ids.length === 0) return;
  const milestones = await queryOrganizationRows<{ id: string; projectId: string }>(
    batch,
    `select id, "projectId" from "projectMilestone" where "organizationId" = $1 and id = any($2::uuid[])
      and "archivedAt" is null`,
    [ids],
  );
  for (const { id, projectId } of milestones) batch.milestones.set(id, projectId);
}

const peopleOf = ({ kind, fields }: ValidImportRow): (Person | null | undefined)[] =>
  kind === "issue" ? [fields.creator, fields.assignee] : kind === "comment" ? [fields.author] : [];

async function loadPeople(batch: ImportBatch, rows: readonly ValidImportRow[]): Promise<void> {
  const people = distinctValues(rows.flatMap(peopleOf));
  if (people.length === 0) return;
  const [members, others] = await Promise.all([
    queryOrganizationRows<{ id: string; email: string; assignable: boolean }>(
      batch,
      `select id, lower(email) as email, active and not app as assignable from "user"
        where "organizationId" = $1 and lower(email) = any($2::text[])`,
      [distinctValues(people.map(({ email }) => email))],
    ),
    queryOrganizationRows<{ id: string; name: string; email: string | null }>(
      batch,
      `select id, name, email from "externalUser" where "organizationId" = $1 and ${buildNfcConditionSql("name", (name) => `${name} = any($2::text[])`)}`,
      [distinctValues(people.map(({ name }) => toCanonicalText(name)))],
    ),
  ]);
  for (const { id, email, assignable } of members) batch.members.set(email, { userId: id, assignable });
  for (const { id, name, email } of others)
    batch.people.set(personKey(name, email), { externalUserId: id } satisfies Author);
}

/** Returns the team key and the number of an identifier. */
export function parseIdentifier(identifier: string | null | undefined): { key: string; number: number } | undefined {
  const [, key, digits] = /^([A-Za-z][A-Za-z0-9]{0,6})-([1-9][0-9]{0,8})$/.exec(identifier ?? "") ?? [];
  return key && digits ? { key: key.toUpperCase(), number: Number(digits) } : undefined;
}

async function loadNumbers(batch: ImportBatch, rows: readonly ValidImportRow[]): Promise<void> {
  const wanted = rows.flatMap(({ kind, fields }) => {
    const number = kind === "issue" ? parseIdentifier(fields.identifier) : undefined;
    const team = number && batch.teams.get(number.key);
    return team ? [{ teamId: team.id, number: number.number }] : [];
  });
  if (wanted.length === 0) return;
  const lists = [wanted.map(({ teamId }) => teamId), wanted.map(({ number }) => number)];
  const taken = await queryOrganizationRows<{ teamId: string; number: number }>(
    batch,
    `with w as (select * from unnest($2::uuid[], $3::integer[]) w ("teamId", number))
      select w.* from w join issue i on i."organizationId" = $1 and i."teamId" = w."teamId" and i.number = w.number
      union select w.* from w join "issueAlias" a
        on a."organizationId" = $1 and a."teamId" = w."teamId" and a.number = w.number`,
    lists,
  );
  for (const { teamId, number } of taken) batch.numbers.add(scopedKey(teamId, number));
}
