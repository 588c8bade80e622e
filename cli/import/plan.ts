import type { Row } from "./row.ts";
import type { Result } from "./send.ts";

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
const refersTo = (kind: string, source: string, ref: unknown): string[] =>
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
function needsOf({ kind, fields }: Row, source: string, canonical: Canonical): string[] {
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
function makesOf({ kind, fields }: Row, source: string, canonical: Canonical): Made[] {
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
const isAdded = (key: string, { kind, fields }: Row, before: readonly Row[]): boolean =>
  before.length === 0 ||
  kind === "team" ||
  (key.startsWith("states of ") && !before.some((row) => low(row.fields["state"]) === low(fields["state"])));

/** A row that the real import would have written, without what nothing else can rest on. */
interface Stub {
  row: Row;
  /** Keys of what it rests on itself. */
  needs: readonly string[];
  /** Its place among all that the import would have written. */
  order: number;
}

/**
 * The rows that a dry run would have written so far. The server forgets each call of it. So a row is sent together with the
 * earlier rows that it rests on, and meets the same checks as in the real import.
 */
export class Plan {
  readonly #source: string;
  readonly #made = new Map<string, Stub[]>();
  /** Parents of issues, and what issues block: those that are planned, and those that the server has yet to answer. */
  readonly #next = new Map<string, Set<string>>();
  readonly #planned = new Set<string>();
  #order = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** The earlier rows to send before these, in their order. */
  before(rows: readonly Row[]): Row[] {
    const found = new Set<Stub>();
    const gather = (key: string): void => {
      for (const stub of this.#made.get(key) ?? []) {
        if (found.has(stub)) continue;
        found.add(stub);
        stub.needs.forEach(gather);
      }
    };
    for (const row of rows) this.#needs(row).forEach(gather);
    return [...found].sort((one, other) => one.order - other.order).map(({ row }) => row);
  }

  /** Counts on a row before the server has answered. */
  expect(row: Row): void {
    this.#join(row);
  }

  /** Keeps what became of a row; answers what the real import would have answered. */
  settle(row: Row, result: Result): Result {
    const edge = this.#edge(row);
    if (edge && !this.#planned.has(edge.join(" "))) this.#next.get(edge[0])?.delete(edge[1]);
    if (result.status === "created" && this.closesCircle(row)) return circle(row);
    if (result.status === "created") this.#keep(row);
    // A relation that is there is the same one; a parent that is there may be another.
    if (result.status === "created" || (result.status === "exists" && row.kind === "relation")) {
      this.#join(row);
      if (edge) this.#planned.add(edge.join(" "));
    }
    return result;
  }

  /** Answers if a parent or a blocker closes a circle with what is planned: the server cannot see all of it in one call. */
  closesCircle(row: Row): boolean {
    const [from, to] = this.#edge(row) ?? [];
    if (from === undefined || to === undefined) return false;
    const kind = from.slice(0, from.indexOf(" ") + 1);
    const seen = new Set([to]);
    for (const id of seen) for (const next of this.#next.get(kind + id) ?? []) seen.add(next);
    return seen.has(from.slice(kind.length));
  }

  /** From an issue to what it is a part of, or blocks. */
  #edge({ kind, fields }: Row): [from: string, to: string] | undefined {
    const { issue, parent, relatedIssue, type } = fields;
    if (kind !== "parent" && (kind !== "relation" || type !== "blocks")) return undefined;
    return [`${kind} ${this.#canonical(issue)}`, this.#canonical(kind === "parent" ? parent : relatedIssue)];
  }

  #join(row: Row): void {
    const [from, to] = this.#edge(row) ?? [];
    if (from === undefined || to === undefined) return;
    this.#next.set(from, (this.#next.get(from) ?? new Set()).add(to));
  }

  #keep(row: Row): void {
    this.#order += 1;
    for (const [key, fields] of makesOf(row, this.#source, this.#canonical)) {
      const all = this.#made.get(key) ?? [];
      const stub = { ...row, fields };
      const before = all.map((each) => each.row);
      if (!isAdded(key, stub, before)) continue;
      const needs = this.#needs(stub).filter((need) => need !== key);
      this.#made.set(key, [...all, { row: stub, needs, order: this.#order }]);
    }
  }

  #needs(row: Row): string[] {
    return needsOf(row, this.#source, this.#canonical);
  }

  /** One name for an issue that has several. */
  readonly #canonical = (ref: unknown): string => {
    for (const key of refersTo("issue", this.#source, ref)) {
      const [stub] = this.#made.get(key) ?? [];
      if (stub) return `#${stub.order}`;
    }
    return String(ref).toLowerCase();
  };
}

/** The server's own words about a circle that closes within a call. */
function circle({ kind, fields: { issue, parent, relatedIssue } }: Row): Result {
  const message =
    kind === "parent"
      ? `${issue} would be a part of itself through ${parent}; break the circle`
      : `${issue} and ${relatedIssue} would block each other in a circle; leave one relation out`;
  return { status: "refused", field: kind === "parent" ? "parent" : "relatedIssue", message };
}
