import { addFacts, type Batch, idInTrace, type NextEvent } from "../batch.ts";
import type { Facts } from "../facts.ts";
import { type EventRow, project } from "../project.ts";
import type { SettledEvent, StoredEvent } from "../store/event-rows.ts";
import { count, noTotals, type Totals } from "../totals.ts";
import { isMatched } from "./cluster.ts";
import type { Progress } from "./progress.ts";
import { withTurnId } from "./trace-turns.ts";

/** An event as it was before this batch; one of capture-* has no facts. */
export type Known = StoredEvent | { row: EventRow; facts: null };

/** The result of a batch. */
export interface Settled {
  events: SettledEvent[];
  /** By session. */
  progress: Map<string, Progress>;
  totals: Map<string, Totals>;
}

/** Merges what is stored into the batch: an event whose id or session is known better moves. */
export function absorb(batch: Batch, known: readonly Known[], sessionOf: (event: StoredEvent) => string): void {
  for (const event of known) {
    const { row, facts } = event;
    if (facts === null) refuse(batch, row.event_id, "its event was recorded by capture-*, and is not changed");
    else if (!batch.gone.has(row.event_id)) join(batch, event, sessionOf(event));
  }
}

function refuse(batch: Batch, id: string, reason: string): void {
  batch.next.delete(id);
  batch.refused.set(id, reason);
}

function join(batch: Batch, { row, facts: stored, above }: StoredEvent, session: string): void {
  const facts = withTurnId(batch, session, stored);
  const id = isMatched(facts) ? row.event_id : idInTrace(batch, session, facts);
  const next = batch.next.get(id);
  if (next && next.session_id !== session) {
    refuse(batch, id, "its event belongs to another session");
    return;
  }
  if (id !== row.event_id) batch.gone.set(row.event_id, id);
  if (above !== null) batch.above.set(id, above);
  if (isMatched(facts) && next) batch.next.set(id, { ...next, facts: silenceOf(facts, next.facts) });
  else addFacts(batch, id, session, facts);
}

/** A matched event consists of its parts alone, but it stays silent once it was. */
const silenceOf = (stored: Facts, told: Facts): Facts => (stored.silent ? { ...told, silent: true } : told);

/** The rows that have to be written, and what they change in the totals of their sessions. */
export function settle(
  batch: Batch,
  known: readonly Known[],
  progress: Map<string, Progress>,
  parent: (id: string, event: NextEvent, progress: Progress) => string | null,
): Settled {
  const before = new Map(known.map((event) => [event.row.event_id, event]));
  const totals = new Map<string, Totals>();
  const add = (row: EventRow, times: 1 | -1) => {
    const sum = totals.get(row.session_id) ?? noTotals();
    totals.set(row.session_id, sum);
    count(sum, row, times);
  };
  for (const id of batch.gone.keys()) {
    const row = before.get(id)?.row;
    if (row) add(row, -1);
  }
  const events: SettledEvent[] = [];
  batch.next.forEach((event, id) => {
    const stored = before.get(id);
    const own = progress.get(event.session_id) ?? {};
    const row = project(event.facts, {
      event_id: id,
      session_id: event.session_id,
      parent_id: parent(id, event, own),
      received_at: stored?.row.received_at ?? batch.now,
      progress: own,
    });
    const settled = { row, facts: event.facts, above: batch.above.get(id) ?? null, isNew: stored === undefined };
    if (stored?.facts && isSame(stored, settled)) return;
    if (stored) add(stored.row, -1);
    add(row, 1);
    events.push(settled);
  });
  return { events, progress, totals };
}

/** When the events began that a batch changed or took away, before and after: their counts by the hour change. */
export function momentsOf(
  events: readonly StoredEvent[],
  known: readonly Known[],
  gone: ReadonlyMap<string, unknown>,
): number[] {
  const all: (StoredEvent | Known)[] = [...events];
  if (known.length > 0) {
    const changed = new Set([...events.map(({ row }) => row.event_id), ...gone.keys()]);
    all.push(...known.filter(({ row }) => changed.has(row.event_id)));
  }
  return all.filter(({ row }) => row.kind === "tool" || !row.success).map(({ row }) => row.timestamp);
}

const isSame = (a: StoredEvent, b: StoredEvent): boolean => spell(a) === spell(b);

const spell = ({ row, facts, above }: StoredEvent): string => JSON.stringify([sorted(row), sorted(facts), above]);

/** JSON from jsonb has its keys in another order. */
const sorted = (value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .filter(([, inner]) => inner !== undefined)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => [key, sorted(inner)])
    : value;
