import { toComparableName } from "../../formats/names.ts";
import type { ImportRow } from "./row.ts";
import type { RowResult } from "./send.ts";

type Fields = Record<string, unknown>;
type Made = [key: string, fields: Fields];
const low = (value: unknown) => String(value ?? "").toLowerCase();
const foldText = (name: unknown) => toComparableName(String(name ?? ""));
const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const DATE = "2000-01-01T00:00:00Z";

/** Returns the keys by which other rows can refer to an issue or comment: its id and its external ids. */
const namesOf = (kind: string, source: string, { id, externalId, externalIds }: Fields): string[] =>
  [externalId && `${source}:${externalId}`, ...listed(externalIds), id && low(id)].flatMap((name) =>
    name ? [`${kind} ${name}`] : [],
  );
/**
 * Returns the keys under which the row of a referenced issue or comment may be stored. The reference may be an external
 * id or an id.
 */
const listReferenceKeys = (kind: string, source: string, ref: unknown): string[] =>
  ref ? [`${kind} ${source}:${ref}`, `${kind} ${low(ref)}`] : [];
const teamKey = (key: unknown) =>
  `team ${String(key ?? "")
    .toUpperCase()
    .trim()}`;
const statesKey = (team: unknown) => `states of ${teamKey(team)}`;
const inTeam = (kind: string, team: unknown, name: unknown) => `${kind} ${teamKey(team)} ${foldText(name)}`;
const labelKeys = (team: unknown, name: unknown) => [inTeam("label", team, name), inTeam("label", "", name)];

/** Function that returns one and the same name for an issue, whichever of its ids a row uses. */
type Canonical = (ref: unknown) => string;

/**
 * Returns the keys of all entities that can affect the server's result for a row, such as the row's team and labels.
 */
function needsOf({ kind, fields }: ImportRow, source: string, canonical: Canonical): string[] {
  const { team, key, name, group, teams, state, labels, project, cycle, issue, parent, type, relatedIssue } = fields;
  switch (kind) {
    case "team":
      return [teamKey(key), `used ${teamKey(key)}`];
    case "label":
      return [...(team ? [teamKey(team)] : []), ...labelKeys(team, name), ...(group ? labelKeys(team, group) : [])];
    case "project":
      return [...listed(teams).map(teamKey), `project ${foldText(fields["id"] ?? name)}`];
    case "cycle":
      return [teamKey(team), inTeam("cycle", team, fields["number"])];
    case "issue":
      return [
        ...[teamKey(team), ...namesOf("issue", source, fields)],
        ...(state ? [statesKey(team)] : []),
        ...listed(labels).flatMap((label) => labelKeys(team, label)),
        ...(project ? [`project ${foldText(project)}`] : []),
        ...(cycle ? [inTeam("cycle", team, cycle)] : []),
      ];
    case "comment":
      return [
        ...namesOf("comment", source, fields),
        ...listReferenceKeys("issue", source, issue),
        ...listReferenceKeys("comment", source, parent),
      ];
    case "parent":
      return [
        ...[issue, parent].flatMap((ref) => listReferenceKeys("issue", source, ref)),
        `parent ${canonical(issue)}`,
      ];
    case "relation":
      return [
        ...[issue, relatedIssue].flatMap((ref) => listReferenceKeys("issue", source, ref)),
        `relation ${type} ${canonical(issue)} ${canonical(relatedIssue)}`,
      ];
    case "milestone":
    case "template":
    case "view":
      return [
        ...(team ? [teamKey(team)] : []),
        ...(state ? [statesKey(team)] : []),
        ...listed(labels).flatMap((label) => labelKeys(team, label)),
        ...(project ? [`project ${foldText(project)}`] : []),
      ];
  }
}

/**
 * Returns all entities that a row creates. Each entity has a key and the fields of a short row that creates the entity
 * again in a later request.
 */
function makesOf({ kind, fields }: ImportRow, source: string, canonical: Canonical): Made[] {
  const { id, externalId, externalIds, team, name, key, type, issue, relatedIssue, state, stateType, project } = fields;
  const names = { id, externalId, externalIds };
  switch (kind) {
    case "team":
      return [[teamKey(key), { key, states: fields["states"], defaultState: fields["defaultState"] }]];
    case "label":
      return [[inTeam("label", team, name), { name, team, isGroup: fields["isGroup"] }]];
    case "project": {
      const stub = { id, name, teams: listed(fields["teams"]).slice(0, 1) };
      return [id, name].flatMap((called) => (called ? [[`project ${foldText(called)}`, stub] as Made] : []));
    }
    case "cycle":
      return [[inTeam("cycle", team, fields["number"]), fields]];
    case "issue": {
      const bare = { team, title: "Planned", createdAt: DATE };
      // Each row gets its own id. With equal ids, the server would treat the second row as a repeat of the first.
      const made = (key: string, more: Fields): Made => [key, { ...bare, externalId: `planned ${key}`, ...more }];
      return [
        ...namesOf("issue", source, fields).map((each) => made(each, names)),
        // "The team has issues" gets its own key, because the server handles the states in a team's row differently if
        // the team already has issues.
        made(`used ${teamKey(team)}`, {}),
        ...(stateType ? [made(statesKey(team), { externalId: `planned ${team} ${state}`, state, stateType })] : []),
        ...listed(fields["labels"]).map((label) => made(inTeam("label", team, label), { labels: [label] })),
        ...(project ? [made(`project ${foldText(project)}`, { project })] : []),
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

/**
 * Returns true if a row adds something new to a key. Most keys need only one row, but some keys, such as the states of
 * a team, need several rows.
 */
const isAdded = (key: string, { kind, fields }: ImportRow, before: readonly ImportRow[]): boolean =>
  before.length === 0 ||
  kind === "team" ||
  (key.startsWith("states of ") && !before.some((row) => foldText(row.fields["state"]) === foldText(fields["state"])));

/** A row that the real import would have written. Contains only the fields on which later rows can depend. */
interface Stub {
  row: ImportRow;
  /** Keys on which the row depends. */
  needs: readonly string[];
  /** Position among all rows that the import would have written. */
  order: number;
}

/**
 * Stores the rows that a dry run would have written. In a dry run, the server discards the rows after each request.
 * Each request therefore repeats the earlier rows on which its own rows depend, so that the server makes the same
 * checks as in a real import.
 */
export class DryRunPlan {
  readonly #source: string;
  readonly #made = new Map<string, Stub[]>();
  /**
   * Edges of a graph, by the issue at which each edge begins. An edge leads from an issue to the issue's parent, or
   * from a blocking issue to the blocked issue. Contains the edges of planned rows, and of rows for which no response
   * has arrived yet.
   */
  readonly #next = new Map<string, Set<string>>();
  readonly #planned = new Set<string>();
  #order = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Returns the earlier rows that a call must contain before the given rows, in order. */
  before(rows: readonly ImportRow[]): ImportRow[] {
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

  /** Adds the edge of a row to the graph before the server has responded. */
  expect(row: ImportRow): void {
    this.#join(row);
  }

  /** Records the result of a row. Returns the result that the real import would return. */
  settle(row: ImportRow, result: RowResult): RowResult {
    const edge = this.#edge(row);
    if (edge && !this.#planned.has(edge.join(" "))) this.#next.get(edge[0])?.delete(edge[1]);
    if (result.status === "created" && this.closesCircle(row)) return circle(row);
    if (result.status === "created") this.#keep(row);
    // An existing relation is equal to the relation of the row. An issue that already has a parent may have another
    // parent than the row names, so the row adds no edge.
    if (result.status === "created" || (result.status === "exists" && row.kind === "relation")) {
      this.#join(row);
      if (edge) this.#planned.add(edge.join(" "));
    }
    return result;
  }

  /**
   * Returns true if this row's parent or blocker would close a circle with planned rows. The dry run checks this
   * itself, because the server does not see all rows in one request.
   */
  closesCircle(row: ImportRow): boolean {
    const [from, to] = this.#edge(row) ?? [];
    if (from === undefined || to === undefined) return false;
    const kind = from.slice(0, from.indexOf(" ") + 1);
    const seen = new Set([to]);
    for (const id of seen) for (const next of this.#next.get(kind + id) ?? []) seen.add(next);
    return seen.has(from.slice(kind.length));
  }

  /**
   * Returns the edge that a row adds: from an issue to its parent, or to an issue that it blocks. Returns undefined for
   * any other row.
   */
  #edge({ kind, fields }: ImportRow): [from: string, to: string] | undefined {
    const { issue, parent, relatedIssue, type } = fields;
    if (kind !== "parent" && (kind !== "relation" || type !== "blocks")) return undefined;
    return [`${kind} ${this.#canonical(issue)}`, this.#canonical(kind === "parent" ? parent : relatedIssue)];
  }

  #join(row: ImportRow): void {
    const [from, to] = this.#edge(row) ?? [];
    if (from === undefined || to === undefined) return;
    this.#next.set(from, (this.#next.get(from) ?? new Set()).add(to));
  }

  #keep(row: ImportRow): void {
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

  readonly #needs = (row: ImportRow): string[] => needsOf(row, this.#source, this.#canonical);

  /** Returns one and the same name for an issue, whichever of its ids is given. */
  readonly #canonical = (ref: unknown): string => {
    for (const key of listReferenceKeys("issue", this.#source, ref)) {
      const [stub] = this.#made.get(key) ?? [];
      if (stub) return `#${stub.order}`;
    }
    return String(ref).toLowerCase();
  };
}

/** Returns the error result that the server would return if all rows of the circle were in one request. */
function circle({ kind, fields: { issue, parent, relatedIssue } }: ImportRow): RowResult {
  const message =
    kind === "parent"
      ? `${issue} would be its own ancestor through ${parent}; remove one of the parents`
      : `${issue} and ${relatedIssue} would block each other in a circle; remove one relation`;
  return { status: "refused", field: kind === "parent" ? "parent" : "relatedIssue", message };
}
