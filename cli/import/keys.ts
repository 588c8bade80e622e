import type { Row } from "./row.ts";

type Fields = Record<string, unknown>;
type Made = [key: string, fields: Fields];
const low = (value: unknown) => String(value ?? "").toLowerCase();
const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const DATE = "2000-01-01T00:00:00Z";

/** Names of a thing: its own, or how others refer to it. */
const namesOf = (kind: string, source: string, { id, externalId, externalIds }: Fields): string[] =>
  [externalId && `${source}:${externalId}`, ...listed(externalIds), id && low(id)].flatMap((name) =>
    name ? [`${kind} ${name}`] : [],
  );
/** Keys of what a row refers to. */
export const refersTo = (kind: string, source: string, ref: unknown): string[] =>
  ref ? [`${kind} ${source}:${ref}`, `${kind} ${low(ref)}`] : [];
const teamKey = (key: unknown) =>
  `team ${String(key ?? "")
    .toUpperCase()
    .trim()}`;
const statesKey = (team: unknown) => `states of ${teamKey(team)}`;
const inTeam = (kind: string, team: unknown, name: unknown) => `${kind} ${teamKey(team)} ${low(name)}`;
const labelKeys = (team: unknown, name: unknown) => [inTeam("label", team, name), inTeam("label", "", name)];

/** One name for an issue that has several. */
type Canonical = (ref: unknown) => string;

/** Keys of everything that decides what becomes of a row. */
export function needsOf({ kind, fields }: Row, source: string, canonical: Canonical): string[] {
  const { team, key, name, group, teams, state, labels, project, cycle, issue, parent, type, relatedIssue } = fields;
  switch (kind) {
    case "team":
      return [teamKey(key), `used ${teamKey(key)}`];
    case "label":
      return [...(team ? [teamKey(team)] : []), ...labelKeys(team, name), ...(group ? labelKeys(team, group) : [])];
    case "project":
      return [...listed(teams).map(teamKey), `project ${low(fields["id"] ?? name)}`];
    case "cycle":
      return [teamKey(team), inTeam("cycle", team, fields["number"])];
    case "issue":
      return [
        ...[teamKey(team), ...namesOf("issue", source, fields)],
        ...(state ? [statesKey(team)] : []),
        ...listed(labels).flatMap((label) => labelKeys(team, label)),
        ...(project ? [`project ${low(project)}`] : []),
        ...(cycle ? [inTeam("cycle", team, cycle)] : []),
      ];
    case "comment":
      return [
        ...namesOf("comment", source, fields),
        ...refersTo("issue", source, issue),
        ...refersTo("comment", source, parent),
      ];
    case "parent":
      return [...[issue, parent].flatMap((ref) => refersTo("issue", source, ref)), `parent ${canonical(issue)}`];
    case "relation":
      return [
        ...[issue, relatedIssue].flatMap((ref) => refersTo("issue", source, ref)),
        `relation ${type} ${canonical(issue)} ${canonical(relatedIssue)}`,
      ];
    case "milestone":
    case "template":
    case "view":
      return [
        ...(team ? [teamKey(team)] : []),
        ...(state ? [statesKey(team)] : []),
        ...listed(labels).flatMap((label) => labelKeys(team, label)),
        ...(project ? [`project ${low(project)}`] : []),
      ];
  }
}

/** Everything that a row makes, each under its key with the fields that make it once more. */
export function makesOf({ kind, fields }: Row, source: string, canonical: Canonical): Made[] {
  const { id, externalId, externalIds, team, name, key, type, issue, relatedIssue, state, stateType, project } = fields;
  const names = { id, externalId, externalIds };
  switch (kind) {
    case "team":
      return [[teamKey(key), { key, states: fields["states"], defaultState: fields["defaultState"] }]];
    case "label":
      return [[inTeam("label", team, name), { name, team, isGroup: fields["isGroup"] }]];
    case "project": {
      const stub = { id, name, teams: listed(fields["teams"]).slice(0, 1) };
      return [id, name].flatMap((called) => (called ? [[`project ${low(called)}`, stub] as Made] : []));
    }
    case "cycle":
      return [[inTeam("cycle", team, fields["number"]), fields]];
    case "issue": {
      const bare = { team, title: "Planned", createdAt: DATE };
      // One id for each, else the server would take the second for the first.
      const made = (key: string, more: Fields): Made => [key, { ...bare, externalId: `planned ${key}`, ...more }];
      return [
        ...namesOf("issue", source, fields).map((each) => made(each, names)),
        // A team that has issues takes the states of its row otherwise than one that has none.
        made(`used ${teamKey(team)}`, {}),
        ...(stateType ? [made(statesKey(team), { externalId: `planned ${team} ${state}`, state, stateType })] : []),
        ...listed(fields["labels"]).map((label) => made(inTeam("label", team, label), { labels: [label] })),
        ...(project ? [made(`project ${low(project)}`, { project })] : []),
      ];
    }
    case "comment":
      return namesOf("comment", source, fields).map((each) => [
        each,
        { ...names, issue, body: "Planned", createdAt: DATE },
      ]);
    case "parent":
      return [[`parent ${canonical(issue)}`, fields]];
    case "relation": {
      const [one, other] = [canonical(issue), canonical(relatedIssue)];
      const same = type === "related" || type === "similar";
      return [
        [`relation ${type} ${one} ${other}`, fields],
        ...(same ? [[`relation ${type} ${other} ${one}`, fields] as Made] : []),
      ];
    }
    case "milestone":
    case "template":
    case "view":
      return [];
  }
}

/** Answers if a row adds to its key. Some keys stand for all that such rows made, as the states of a team do. */
export const isAdded = (key: string, { kind, fields }: Row, before: readonly Row[]): boolean =>
  before.length === 0 ||
  kind === "team" ||
  (key.startsWith("states of ") && !before.some((row) => low(row.fields["state"]) === low(fields["state"])));
