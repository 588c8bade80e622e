import { isAdded, makesOf, needsOf, refersTo } from "./keys.ts";
import type { Row } from "./row.ts";
import type { Result } from "./send.ts";

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
