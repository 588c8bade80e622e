import type { ClientBase } from "pg";
import type { CostCalculator } from "../../../prices/prices.ts";
import { assignObservationsToSessions, type FoldContext, type FoldOutput, foldObservations } from "../fold/fold.ts";
import type { KnownTurn } from "../fold/progress.ts";
import { SAME_PROMPT_MS } from "../fold/traces.ts";
import { readStoredEvents, type StoredEvent } from "../store/event-rows.ts";
import { readObservations, type StoredObservation } from "../store/observation-rows.ts";
import { partsOfOpenEventsStatement } from "../store/open-rows.ts";
import { MIN_ROWS_FOR_COPY, sendPacket } from "../store/packet.ts";
import { type PartRow, readParts } from "../store/part-rows.ts";
import type { RecentObservationCache } from "../store/recent.ts";
import { type FoldArrival, type LockedSessionRow, lockSessionsStatement } from "../store/session-rows.ts";

/** Parts to fold together with all parts that affect their events, the result of the fold, and the stored rows. */
export interface FoldedParts {
  folded: FoldOutput;
  /** Parts whose observations were read. */
  read: ReadonlySet<string>;
  /** Stored parts, by id. */
  parts: ReadonlyMap<string, PartRow>;
  /** Existing sessions, locked. */
  sessions: Map<string, LockedSessionRow>;
  /**
   * Stored events: all events of the parts, and other events whose ids the fold also produced. Events that the
   * transaction will insert with COPY are not looked up.
   */
  known: ReadonlyMap<string, StoredEvent>;
  /** True if only the first observations were read, because there were too many. */
  isCut: boolean;
}

/** Organization and time of a fold, with the prices for computing costs. */
export interface FoldArrivalWithPrices extends FoldArrival {
  prices: CostCalculator;
}

/**
 * Maximum number of rounds. After each round, the result may show that more parts must be read, so another round reads
 * them.
 */
const ROUNDS = 8;

/** Parts to load. */
interface Wanted {
  parts: readonly string[];
  /** True if the transaction copies new events with COPY. */
  mayCopy: boolean;
  recent: RecentObservationCache;
}

/**
 * Reads and folds parts, including all parts that affect the same events. Locks the sessions of the parts until the
 * transaction ends.
 */
export async function loadAndFoldParts(
  client: ClientBase,
  arrival: FoldArrivalWithPrices,
  wanted: Wanted,
): Promise<FoldedParts> {
  const { organizationId, now } = arrival;
  const parts = new Map<string, PartRow>();
  const read = new Set<string>();
  const stored: StoredObservation[] = [];
  const sessions = new Map<string, LockedSessionRow>();
  const asked = new Set<string>();
  let isCut = false;
  let next = new Set(wanted.parts);
  for (let round = 1; ; round += 1) {
    for (const row of await readParts(client, organizationId, [...next])) {
      parts.set(row.part, row);
      next.add(row.part);
    }
    const fresh = [...next].filter((part) => !read.has(part));
    const found = await readObservations(
      client,
      organizationId,
      fresh.map((part) => ({ part, sealed_at: parts.get(part)?.sealed_at ?? null })),
      wanted.recent,
    );
    for (const part of fresh) read.add(part);
    for (const each of found.stored) stored.push(each);
    isCut ||= found.isCut;
    const placed = assignObservationsToSessions(organizationId, stored);
    const named = [...new Set(placed.kept.map(({ session_id }) => session_id))].filter((id) => !asked.has(id));
    for (const id of named) asked.add(id);
    const asking = [lockSessionsStatement(organizationId, named), partsOfOpenEventsStatement(organizationId, named)];
    const [locked = [], open = []] = named.length > 0 ? await sendPacket(client, asking) : [];
    for (const row of locked as LockedSessionRow[]) sessions.set(row.session_id, row);
    const folded = foldObservations(
      { organizationId, now, prices: arrival.prices, progress: progressIn(sessions) },
      placed,
    );
    const known = await readStoredEvents(client, organizationId, {
      ids: idsToRead(folded, parts, wanted),
      parts: [...folded.components.keys()],
    });
    const bearing = [
      ...folded.components.keys(),
      ...[...known.values()].flatMap(({ part }) => part ?? []),
      ...looseParts(folded, sessions),
      ...(open as { part: string }[]).map(({ part }) => part),
    ];
    next = new Set(bearing.filter((part) => !read.has(part)));
    if (isCut || next.size === 0 || round === ROUNDS) return { folded, read, parts, sessions, known, isCut };
  }
}

/**
 * Returns the ids of the events to read from the database. If many events belong to parts that were never folded, these
 * events are inserted with COPY as new events and not read first. If one of these events is already stored, the COPY
 * fails, and the transaction runs again without COPY.
 */
function idsToRead({ events }: FoldOutput, parts: ReadonlyMap<string, PartRow>, { mayCopy }: Wanted): string[] {
  const known = mayCopy ? events.filter(({ part }) => parts.has(part)) : events;
  const read = events.length - known.length < MIN_ROWS_FOR_COPY ? events : known;
  return read.map(({ row }) => row.event_id);
}

const progressIn = (sessions: ReadonlyMap<string, LockedSessionRow>): FoldContext["progress"] =>
  new Map([...sessions].map(([id, { observed }]) => [id, observed?.progress ?? {}]));

/**
 * Returns the parts of stored turns that may be the same turn as a folded turn. The two turns are each known from a
 * different source.
 */
function looseParts({ progress }: FoldOutput, sessions: ReadonlyMap<string, LockedSessionRow>): string[] {
  return [...progress].flatMap(([session, { turns = [] }]) => {
    const others = sessions.get(session)?.observed?.progress.turns ?? [];
    return turns.flatMap((turn) =>
      others
        .filter((other) => mayBeSame(turn, other) && Math.abs(other.at - turn.at) <= SAME_PROMPT_MS)
        .map(({ part }) => part),
    );
  });
}

/**
 * Returns true if two turns may be the same turn. A turn that is known only by its time may be the same as any turn
 * that is known otherwise. Two other turns may be the same only if each is known from a single source, and the sources
 * differ.
 */
const mayBeSame = ({ by }: KnownTurn, other: KnownTurn): boolean =>
  by !== other.by && ((by !== undefined && other.by !== undefined) || by === "time" || other.by === "time");
