import type { ClientBase } from "pg";
import type { Statement } from "../../../../db/open.ts";
import { beginPrepared, type Settings } from "../../../../db/statements/begin.ts";
import { markHours } from "../../../resources/recorded/analytics/index.ts";
import { lockOf } from "../../../resources/recorded/retention/lock.ts";
import { BOUNDS } from "../../store/copy-transaction.ts";
import { type Copy, copyAll } from "../../tuple/index.ts";
import type { Kept } from "../fold/facts.ts";
import { copyEvents, removeEvents, writeEvents } from "../store/event-rows.ts";
import { removeEmpty, writeOpen } from "../store/open-rows.ts";
import { COMMIT, type Packet, sendPacket, shareLock } from "../store/packet.ts";
import { type PartRow, writeParts } from "../store/part-rows.ts";
import type { Recent } from "../store/recent.ts";
import { type Arrival, makeSessions, newSession } from "../store/session-rows.ts";
import { noChanges, type SessionUpdate, writeSessions } from "../store/session-updates.ts";
import { differenceOf } from "./difference.ts";
import { type Loaded, load, type Priced } from "./load.ts";
import { namedSessions } from "./named-sessions.ts";

/** The result of one transaction of the projector. */
export interface Projected {
  /** Sessions that changed. */
  sessions: readonly string[];
  /** There is more than one transaction took. */
  isMore: boolean;
  /** Notes that it folded. */
  folded: number;
}

/** Notes that one transaction reads at most, and observations that it takes up for each of them. */
export const NOTES = 500;
const OBSERVATIONS_PER_NOTE = 4;

interface Note {
  part: string;
  commit_id: string;
  observations: number;
  /** Epoch ms. */
  at: number;
}

/** The ways of a fold that are tried one after the other. */
export interface ProjectOptions {
  /** New events are copied and new sessions inserted, which fails where one is there. */
  mayCopy: boolean;
  /** Metadata of sessions and traits of users grow, which fails where they grow too large. */
  mayGrow: boolean;
  /** Notes that are read. */
  notes: number;
  /** The parts of the notes are left as they are. */
  skips: boolean;
  recent: Recent;
}

/**
 * Raw SQL, as docs/database.md says why. Folds what an organization's commits appended, the oldest first, in one
 * transaction. One at a time works for an organization: the others wait for it.
 */
export async function projectSome(client: ClientBase, arrival: Priced, options: ProjectOptions): Promise<Projected> {
  const { organizationId, prices } = arrival;
  try {
    const notes = await begin(client, organizationId, options.notes);
    if (notes.length === 0) {
      await client.query("commit");
      return { sessions: [], isMore: false, folded: 0 };
    }
    if (options.skips) {
      const packet: Packet = [];
      removeNotes(packet, organizationId, notes);
      await sendPacket(client, [...packet, COMMIT]);
      return { sessions: [], isMore: true, folded: notes.length };
    }
    // The clock of those who note that time has passed counts too.
    const now = Math.max(arrival.now, ...notes.map(({ at }) => at));
    const { taken, loaded } = await loadFirst(
      client,
      { organizationId, now, prices },
      firstOf(notes, options),
      options,
    );
    const packet: Packet = [];
    const sessions = await writeAll(client, packet, { organizationId, now }, loaded, options);
    // The rest of a part that is too much for one fold follows.
    if (!loaded.isCut) removeNotes(packet, organizationId, taken);
    await sendPacket(client, [...packet, COMMIT]);
    const isMore = loaded.isCut || taken.length < notes.length || notes.length === options.notes;
    return { sessions, isMore, folded: taken.length };
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Reads what notes name, or as many of them as one fold takes. */
async function loadFirst(client: ClientBase, arrival: Priced, notes: readonly Note[], options: ProjectOptions) {
  for (let taken = notes; ; taken = taken.slice(0, Math.ceil(taken.length / 2))) {
    const parts = new Set(taken.map(({ part }) => part));
    const loaded = await load(client, arrival, { ...options, parts: [...parts] });
    if (!loaded.isCut || parts.size === 1) return { taken, loaded };
  }
}

/**
 * Every row is found by its key. Left alone, PostgreSQL keeps the plans of prepared statements that it made while a
 * table was small, and they read all of it once it has grown, until it is analyzed again. For the same reason statements
 * find rows one by one (lateral, an upsert, a statement a row), and in the order of the key.
 */
const BY_KEY = { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off", enable_sort: "off" };

/** A fold that a crash of the database undoes is done again: its notes are still there. So nobody waits for the disk. */
const FOLDING: Settings = { name: "observe-settings", values: { ...BY_KEY, synchronous_commit: "off" } };

/** Begins, takes the lock of the fold, which is one organization's alone, and reads its notes. */
async function begin(client: ClientBase, organizationId: string, most: number): Promise<Note[]> {
  const answers = await sendPacket(client, [
    ...beginPrepared(client, { ...BOUNDS, lock: BOUNDS.statement }, FOLDING),
    {
      name: "observe-lock",
      text: "select pg_advisory_xact_lock($1::bigint)",
      values: [foldLockOf(organizationId)],
    },
    shareLock(organizationId),
    notesOf(organizationId, most),
  ]);
  return answers.at(-1) as Note[];
}

/** The key of the advisory lock under which an organization's observations are folded. */
export const foldLockOf = (organizationId: string): bigint => lockOf(organizationId) ^ FOLD;

/** Tells it from the lock of retention. */
const FOLD = 0x666f6c64n;

const notesOf = (organizationId: string, most: number): Statement => ({
  name: "observe-notes",
  text: `select part, commit_id, observations, (extract(epoch from received_at) * 1000)::float8 as at from recorded_unfolded where organization_id = $1
    order by commit_id limit $2`,
  values: [organizationId, most],
});

/** The first notes that come to a transaction's work. */
function firstOf(notes: readonly Note[], options: ProjectOptions): Note[] {
  const most = options.notes * OBSERVATIONS_PER_NOTE;
  let observations = 0;
  const end = notes.findIndex((note) => {
    observations += note.observations;
    return observations >= most;
  });
  return notes.slice(0, end < 0 ? notes.length : end + 1);
}

function removeNotes(packet: Packet, organizationId: string, notes: readonly Note[]): void {
  packet.push({
    name: "observe-folded",
    text: `delete from recorded_unfolded u using unnest($2::uuid[], $3::uuid[]) n (part, commit_id)
      where u.organization_id = $1 and u.commit_id = n.commit_id and u.part = n.part`,
    values: [organizationId, notes.map(({ part }) => part), notes.map(({ commit_id }) => commit_id)],
  });
}

/** Writes a difference, and what is known of its sessions and parts. Answers the sessions that changed. */
async function writeAll(
  client: ClientBase,
  packet: Packet,
  arrival: Arrival,
  loaded: Loaded,
  { mayCopy, mayGrow }: ProjectOptions,
): Promise<string[]> {
  const { organizationId, now } = arrival;
  const { folded, sessions } = loaded;
  const { written, removed, closed, moments, sessions: changes } = differenceOf(loaded, now);
  const named = namedSessions(folded.kept);
  const missing = [...named.values()].filter(({ session_id }) => !sessions.has(session_id));
  const made = mayCopy
    ? missing.map((each) => newSession(arrival, each))
    : await makeSessions(client, arrival, missing);
  for (const row of made) sessions.set(row.session_id, row);
  const bySession = new Map<string, Kept[]>();
  for (const each of folded.kept) {
    const own = bySession.get(each.session_id);
    if (own) own.push(each);
    else bySession.set(each.session_id, [each]);
  }
  const touched = new Set([...named.keys(), ...changes.keys()]);
  const updates = [...touched].flatMap((id): SessionUpdate[] => {
    const row = sessions.get(id);
    if (!row) return [];
    return [
      {
        ...(changes.get(id) ?? noChanges()),
        row,
        named: named.get(id) ?? { ...row, source: row.source ?? "" },
        progress: folded.progress.get(id) ?? row.observed?.progress ?? {},
        observations: (bySession.get(id) ?? []).sort((a, b) => a.receivedAt - b.receivedAt),
      },
    ];
  });
  writeSessions(packet, arrival, updates, mayGrow);
  packet.push(...markHours(organizationId, moments));
  removeEvents(
    packet,
    organizationId,
    removed.map(({ event_id }) => event_id),
  );
  const copies: Copy[] = [];
  const rest = mayCopy ? copyEvents(copies, organizationId, written) : written;
  if (copies.length > 0) await sendPacket(client, packet.splice(0));
  await copyAll(client, copies);
  writeEvents(packet, organizationId, rest);
  writeOpen(packet, organizationId, { closed, open: written.filter(({ row }) => row.open) });
  writeParts(packet, organizationId, partsOf(loaded, now), now);
  // Events may have moved from sessions that stood for their traces.
  const left = new Set([...loaded.known.values()].map(({ session_id }) => session_id).filter((id) => !named.has(id)));
  removeEmpty(packet, organizationId, [...left]);
  return [...touched];
}

/** Observations, and characters of their texts, beyond which what hangs together is sealed: it would be folded ever again. */
const FULL = { observations: 10_000, characters: 32 * 1024 * 1024 };
/** Commits that are under way have received what they bring within this time. */
const UNDER_WAY_MS = 30_000;

/** The rows of the parts of a fold. Parts are sealed that are full, or of which events are left and nothing else. */
function partsOf({ folded, known, parts, isCut }: Loaded, now: number): PartRow[] {
  const { kept, components } = folded;
  const forgotten = new Set([...known.values()].flatMap(({ part }) => (part !== null && !parts.has(part) ? part : [])));
  const sizes = new Map<string, { observations: number; characters: number }>();
  for (const { part, observation } of kept) {
    const component = components.get(part) ?? part;
    const size = sizes.get(component) ?? { observations: 0, characters: 0 };
    size.observations += 1;
    size.characters += (observation.args?.text.length ?? 0) + (observation.result?.text.length ?? 0);
    sizes.set(component, size);
  }
  const latest = kept.reduce((at, { receivedAt }) => Math.max(at, receivedAt), 0);
  return [...components].map(([part, component]) => {
    const { observations = 0, characters = 0 } = sizes.get(component) ?? {};
    const isFull = isCut || observations >= FULL.observations || characters >= FULL.characters;
    const before = parts.get(part)?.sealed_at ?? null;
    const until = isCut ? latest : Math.min(latest, now - UNDER_WAY_MS);
    const seal = forgotten.has(part) ? now : isFull ? Math.max(until, before ?? 0) : before;
    return { part, component, sealed_at: seal };
  });
}
