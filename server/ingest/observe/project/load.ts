import type { ClientBase } from "pg";
import type { Prices } from "../../../prices/prices.ts";
import { type FoldContext, type Folded, fold, place } from "../fold/fold.ts";
import type { KnownTurn } from "../fold/progress.ts";
import { SAME_PROMPT_MS } from "../fold/traces.ts";
import { type KnownEvent, readKnown } from "../store/event-rows.ts";
import { readObservations, type StoredObservation } from "../store/observation-rows.ts";
import { openPartsOf } from "../store/open-rows.ts";
import { MANY, sendPacket } from "../store/packet.ts";
import { type PartRow, readParts } from "../store/part-rows.ts";
import type { Recent } from "../store/recent.ts";
import { type Arrival, lockOfSessions, type SessionRow } from "../store/session-rows.ts";

/** Everything that some parts bear on, what it was folded to, and what is stored of that. */
export interface Loaded {
  folded: Folded;
  /** Parts of which the observations were read. */
  read: ReadonlySet<string>;
  /** Parts that were known, by their id. */
  parts: ReadonlyMap<string, PartRow>;
  /** Sessions that exist, locked. */
  sessions: Map<string, SessionRow>;
  /** Stored events of these parts, and others under the ids that the fold made. */
  known: ReadonlyMap<string, KnownEvent>;
  /** True when only the first of their observations were read. */
  isCut: boolean;
}

/** An arrival, and what its events cost. */
export interface Priced extends Arrival {
  prices: Prices;
}

/** So many times what was read may show that it bears on more. */
const ROUNDS = 8;

/** The parts to load. */
interface Wanted {
  parts: readonly string[];
  /** New events will be copied. */
  mayCopy: boolean;
  recent: Recent;
}

/** Reads and folds parts, with all that bears on the same events. It locks their sessions until the transaction ends. */
export async function load(client: ClientBase, arrival: Priced, wanted: Wanted): Promise<Loaded> {
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
    const placed = place(organizationId, stored);
    const named = [...new Set(placed.kept.map(({ session_id }) => session_id))].filter((id) => !asked.has(id));
    for (const id of named) asked.add(id);
    const asking = [lockOfSessions(organizationId, named), openPartsOf(organizationId, named)];
    const [locked = [], open = []] = named.length > 0 ? await sendPacket(client, asking) : [];
    for (const row of locked as SessionRow[]) sessions.set(row.session_id, row);
    const folded = fold({ organizationId, now, prices: arrival.prices, progress: progressIn(sessions) }, placed);
    const known = await readKnown(client, organizationId, {
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
 * The ids under which an event may be stored. Many events of parts that were never folded are copied as new ones, unread:
 * a copy fails where one is there, and is done again without.
 */
function idsToRead({ events }: Folded, parts: ReadonlyMap<string, PartRow>, { mayCopy }: Wanted): string[] {
  const known = mayCopy ? events.filter(({ part }) => parts.has(part)) : events;
  const read = events.length - known.length < MANY ? events : known;
  return read.map(({ row }) => row.event_id);
}

const progressIn = (sessions: ReadonlyMap<string, SessionRow>): FoldContext["progress"] =>
  new Map([...sessions].map(([id, { observed }]) => [id, observed?.progress ?? {}]));

/** The parts of turns that may be those which are known in another way. */
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

/** A prompt that is known by its time alone begins any turn; else both are known in one way alone. */
const mayBeSame = ({ by }: KnownTurn, other: KnownTurn): boolean =>
  by !== other.by && ((by !== undefined && other.by !== undefined) || by === "time" || other.by === "time");
