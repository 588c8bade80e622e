import type { ClientBase } from "pg";
import type { Prices } from "../../../prices/prices.ts";
import { type FoldContext, type Folded, fold, placeObservations } from "../fold/fold.ts";
import type { KnownTurn } from "../fold/progress.ts";
import { SAME_PROMPT_MS } from "../fold/traces.ts";
import { type KnownEvent, readKnownEvents } from "../store/event-rows.ts";
import { readObservations, type StoredObservation } from "../store/observation-rows.ts";
import { openPartsStatement } from "../store/open-rows.ts";
import { COPY_FROM_ROWS, sendPacket } from "../store/packet.ts";
import { type PartRow, readParts } from "../store/part-rows.ts";
import type { RecentRows } from "../store/recent.ts";
import { type FoldArrival, lockSessionsStatement, type SessionRow } from "../store/session-rows.ts";

/** Parts with everything that affects them, the result of the fold, and the stored rows. */
export interface LoadedParts {
  folded: Folded;
  /** Parts whose observations were read. */
  read: ReadonlySet<string>;
  /** Stored parts, by id. */
  parts: ReadonlyMap<string, PartRow>;
  /** Existing sessions, locked. */
  sessions: Map<string, SessionRow>;
  /** Stored events of the parts, and other stored events with ids that the fold produced. */
  known: ReadonlyMap<string, KnownEvent>;
  /** True if only the first observations were read, because there were too many. */
  isCut: boolean;
}

/** Arrival, with the prices for computing costs. */
export interface PricedArrival extends FoldArrival {
  prices: Prices;
}

/** Maximum number of rounds. Each round may show that further parts affect the result. */
const ROUNDS = 8;

/** Parts to load. */
interface Wanted {
  parts: readonly string[];
  /** True if the transaction copies new events with COPY. */
  mayCopy: boolean;
  recent: RecentRows;
}

/**
 * Reads and folds parts, including all parts that affect the same events. Locks their sessions until the transaction
 * ends.
 */
export async function loadParts(client: ClientBase, arrival: PricedArrival, wanted: Wanted): Promise<LoadedParts> {
  const { organizationId, now } = arrival;
  const parts = new Map<string, PartRow>();
  const read = new Set<string>();
  const stored: StoredObservation[] = [];
  const sessions = new Map<string, SessionRow>();
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
    const placed = placeObservations(organizationId, stored);
    const named = [...new Set(placed.kept.map(({ session_id }) => session_id))].filter((id) => !asked.has(id));
    for (const id of named) asked.add(id);
    const asking = [lockSessionsStatement(organizationId, named), openPartsStatement(organizationId, named)];
    const [locked = [], open = []] = named.length > 0 ? await sendPacket(client, asking) : [];
    for (const row of locked as SessionRow[]) sessions.set(row.session_id, row);
    const folded = fold({ organizationId, now, prices: arrival.prices, progress: progressIn(sessions) }, placed);
    const known = await readKnownEvents(client, organizationId, {
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
 * Returns the event ids to read. If there are many events of parts that were never folded, those events are copied as
 * new without reading. The COPY fails if an event exists already; then the transaction runs again without COPY.
 */
function idsToRead({ events }: Folded, parts: ReadonlyMap<string, PartRow>, { mayCopy }: Wanted): string[] {
  const known = mayCopy ? events.filter(({ part }) => parts.has(part)) : events;
  const read = events.length - known.length < COPY_FROM_ROWS ? events : known;
  return read.map(({ row }) => row.event_id);
}

const progressIn = (sessions: ReadonlyMap<string, SessionRow>): FoldContext["progress"] =>
  new Map([...sessions].map(([id, { observed }]) => [id, observed?.progress ?? {}]));

/** Returns the parts of turns that may be the same turn with another looseness. */
function looseParts({ progress }: Folded, sessions: ReadonlyMap<string, SessionRow>): string[] {
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
 * A prompt known only by time may be the start of any turn. Otherwise two turns may be the same only if each is known
 * in a single, different way.
 */
const mayBeSame = ({ by }: KnownTurn, other: KnownTurn): boolean =>
  by !== other.by && ((by !== undefined && other.by !== undefined) || by === "time" || other.by === "time");
