import type { ClientBase } from "pg";
import type { Statement } from "../../../../db/open.ts";
import { buildPreparedBegin, type TransactionSettings } from "../../../../db/statements/begin.ts";
import { groupBy } from "../../../../formats/groups.ts";
import { createMarkHoursStatements } from "../../../resources/recorded/analytics/index.ts";
import { organizationLockKey } from "../../../resources/recorded/retention/lock.ts";
import { TRANSACTION_TIMEOUTS_MS } from "../../store/copy-transaction.ts";
import { bulkInsertByCopy, type CopyStatement } from "../../tuple/index.ts";
import { addEventCopies, removeEvents, writeEvents } from "../store/event-rows.ts";
import { removeEmptySessions, writeOpenEvents } from "../store/open-rows.ts";
import { COMMIT_STATEMENT, type StatementPacket, sendPacket, sharedRetentionLockStatement } from "../store/packet.ts";
import { type PartRow, writeParts } from "../store/part-rows.ts";
import type { RecentObservationCache } from "../store/recent.ts";
import { buildNewSessionRow, type FoldArrival, insertAndLockSessions } from "../store/session-rows.ts";
import { createEmptyEventChanges, type SessionUpdate, writeSessions } from "../store/session-updates.ts";
import { compareWithStored } from "./difference.ts";
import { type FoldArrivalWithPrices, type FoldedParts, loadAndFoldParts } from "./load.ts";
import { findNamedSessions } from "./named-sessions.ts";

/** Result of one transaction of the projector. */
export interface FoldResult {
  /** Sessions that changed. */
  sessions: readonly string[];
  /** True if more notes remain. */
  isMore: boolean;
  /** Number of folded notes. */
  folded: number;
}

/**
 * MAX_NOTES_PER_FOLD is the maximum number of notes that a transaction reads. The transaction then takes notes until their
 * observations reach OBSERVATIONS_PER_NOTE times the number of notes that the options allow.
 */
export const MAX_NOTES_PER_FOLD = 500;
const OBSERVATIONS_PER_NOTE = 4;

interface Note {
  part: string;
  commit_id: string;
  observations: number;
  /** Epoch ms. */
  at: number;
}

/** Options of a fold, which the projector changes after errors. */
export interface FoldOptions {
  /**
   * If true, new events are inserted with COPY and new sessions with plain inserts. The transaction then fails if one
   * of these events or sessions already exists.
   */
  mayCopy: boolean;
  /**
   * If true, the fold extends the metadata of sessions and the traits of users. The transaction then fails if the
   * metadata or traits become too large.
   */
  mayGrow: boolean;
  notes: number;
  /** True to delete the notes without folding. Used when the database rejects the resulting events. */
  skips: boolean;
  recent: RecentObservationCache;
}

/**
 * Raw SQL; docs/database.md explains why. Folds the oldest commits of an organization in one transaction. Only one such
 * transaction per organization runs at a time, because each transaction holds the organization's fold lock.
 */
export async function foldCommits(
  client: ClientBase,
  arrival: FoldArrivalWithPrices,
  options: FoldOptions,
): Promise<FoldResult> {
  const { organizationId, prices } = arrival;
  try {
    const notes = await begin(client, organizationId, options.notes);
    if (notes.length === 0) {
      await client.query("commit");
      return { sessions: [], isMore: false, folded: 0 };
    }
    if (options.skips) {
      const packet: StatementPacket = [];
      removeNotes(packet, organizationId, notes);
      await sendPacket(client, [...packet, COMMIT_STATEMENT]);
      return { sessions: [], isMore: true, folded: notes.length };
    }
    // Uses the latest of all times, because the clocks of processes differ. A note about elapsed time contains the time
    // of the process that wrote the note.
    const now = Math.max(arrival.now, ...notes.map(({ at }) => at));
    const { taken, loaded } = await loadFirst(
      client,
      { organizationId, now, prices },
      firstOf(notes, options),
      options,
    );
    const packet: StatementPacket = [];
    const sessions = await writeAll(client, packet, { organizationId, now }, loaded, options);
    // If a part is too large for one fold, the part's notes stay for the next transaction.
    if (!loaded.isCut) removeNotes(packet, organizationId, taken);
    await sendPacket(client, [...packet, COMMIT_STATEMENT]);
    const isMore = loaded.isCut || taken.length < notes.length || notes.length === options.notes;
    return { sessions, isMore, folded: taken.length };
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/**
 * Loads the parts that the notes name. If the parts have too many observations for one fold, tries again with the first
 * half of the notes, until the parts fit or only one part remains.
 */
async function loadFirst(
  client: ClientBase,
  arrival: FoldArrivalWithPrices,
  notes: readonly Note[],
  options: FoldOptions,
) {
  for (let taken = notes; ; taken = taken.slice(0, Math.ceil(taken.length / 2))) {
    const parts = new Set(taken.map(({ part }) => part));
    const loaded = await loadAndFoldParts(client, arrival, { ...options, parts: [...parts] });
    if (!loaded.isCut || parts.size === 1) return { taken, loaded };
  }
}

/**
 * Settings that make PostgreSQL find every row by the key of the row. Without the settings, PostgreSQL keeps plans of
 * prepared statements that were made when a table was small, and scans the whole table until the next ANALYZE. For the
 * same reason, the statements find rows one by one (lateral join, upsert, one statement per row) and in the order of
 * keys.
 */
const BY_KEY = { enable_seqscan: "off", enable_hashjoin: "off", enable_mergejoin: "off", enable_sort: "off" };

/** A crash may undo a fold. The notes then still exist and the fold runs again, so the commit skips the disk flush. */
const FOLDING: TransactionSettings = { name: "observe-settings", values: { ...BY_KEY, synchronous_commit: "off" } };

/** Begins the transaction, takes the organization's fold lock, and reads notes. */
async function begin(client: ClientBase, organizationId: string, most: number): Promise<Note[]> {
  const answers = await sendPacket(client, [
    ...buildPreparedBegin(client, { ...TRANSACTION_TIMEOUTS_MS, lock: TRANSACTION_TIMEOUTS_MS.statement }, FOLDING),
    {
      name: "observe-lock",
      text: "select pg_advisory_xact_lock($1::bigint)",
      values: [foldLockKey(organizationId)],
    },
    sharedRetentionLockStatement(organizationId),
    notesOf(organizationId, most),
  ]);
  return answers.at(-1) as Note[];
}

/** Returns the key of the advisory lock for folding an organization's observations. */
export const foldLockKey = (organizationId: string): bigint => organizationLockKey(organizationId) ^ FOLD;

/** Makes the key of the fold lock different from the key of the retention lock. */
const FOLD = 0x666f6c64n;

const notesOf = (organizationId: string, most: number): Statement => ({
  name: "observe-notes",
  text: `select part, commit_id, observations, (extract(epoch from received_at) * 1000)::float8 as at from recorded_unfolded where organization_id = $1
    order by commit_id limit $2`,
  values: [organizationId, most],
});

/** Returns the first notes, up to the number of observations that one transaction may fold. */
function firstOf(notes: readonly Note[], options: FoldOptions): Note[] {
  const most = options.notes * OBSERVATIONS_PER_NOTE;
  let observations = 0;
  const end = notes.findIndex((note) => {
    observations += note.observations;
    return observations >= most;
  });
  return notes.slice(0, end < 0 ? notes.length : end + 1);
}

function removeNotes(packet: StatementPacket, organizationId: string, notes: readonly Note[]): void {
  packet.push({
    name: "observe-folded",
    text: `delete from recorded_unfolded u using unnest($2::uuid[], $3::uuid[]) n (part, commit_id)
      where u.organization_id = $1 and u.commit_id = n.commit_id and u.part = n.part`,
    values: [organizationId, notes.map(({ part }) => part), notes.map(({ commit_id }) => commit_id)],
  });
}

/** Writes the difference, and updates sessions and parts. Returns the changed sessions. */
async function writeAll(
  client: ClientBase,
  packet: StatementPacket,
  arrival: FoldArrival,
  loaded: FoldedParts,
  { mayCopy, mayGrow }: FoldOptions,
): Promise<string[]> {
  const { organizationId, now } = arrival;
  const { folded, sessions } = loaded;
  const { written, removed, closed, moments, sessions: changes } = compareWithStored(loaded, now);
  const named = findNamedSessions(folded.kept);
  const missing = [...named.values()].filter(({ session_id }) => !sessions.has(session_id));
  const made = mayCopy
    ? missing.map((each) => buildNewSessionRow(arrival, each))
    : await insertAndLockSessions(client, arrival, missing);
  for (const row of made) sessions.set(row.session_id, row);
  const bySession = groupBy(folded.kept, ({ session_id }) => session_id);
  const touched = new Set([...named.keys(), ...changes.keys()]);
  const updates = [...touched].flatMap((id): SessionUpdate[] => {
    const row = sessions.get(id);
    if (!row) return [];
    return [
      {
        ...(changes.get(id) ?? createEmptyEventChanges()),
        row,
        named: named.get(id) ?? { ...row, source: row.source ?? "" },
        progress: folded.progress.get(id) ?? row.observed?.progress ?? {},
        observations: (bySession.get(id) ?? []).sort((a, b) => a.receivedAt - b.receivedAt),
      },
    ];
  });
  writeSessions(packet, arrival, updates, mayGrow);
  packet.push(...createMarkHoursStatements(organizationId, moments));
  removeEvents(
    packet,
    organizationId,
    removed.map(({ event_id }) => event_id),
  );
  const copies: CopyStatement[] = [];
  const rest = mayCopy ? addEventCopies(copies, organizationId, written) : written;
  if (copies.length > 0) await sendPacket(client, packet.splice(0));
  await bulkInsertByCopy(client, copies);
  writeEvents(packet, organizationId, rest);
  writeOpenEvents(packet, organizationId, { closed, open: written.filter(({ row }) => row.open) });
  writeParts(packet, organizationId, partsOf(loaded, now), now);
  // Some sessions only stood for a trace. If the events of such a session have moved to another session, the empty
  // session is deleted.
  const left = new Set([...loaded.known.values()].map(({ session_id }) => session_id).filter((id) => !named.has(id)));
  removeEmptySessions(packet, organizationId, [...left]);
  return [...touched];
}

/**
 * Size at which a component is sealed. The observations of a sealed component are not folded again. Without sealing,
 * each new observation would fold the whole component again.
 */
const FULL = { observations: 10_000, characters: 32 * 1024 * 1024 };
/**
 * Maximum time, in ms, for which a commit may still be in progress. The observations of an unfinished commit may have
 * arrived up to `UNDER_WAY_MS` ago.
 */
const UNDER_WAY_MS = 30_000;

/**
 * Returns the rows of the folded parts. Seals a part if its component is full, or if the part's events remain but its
 * row was deleted.
 */
function partsOf({ folded, known, parts, isCut }: FoldedParts, now: number): PartRow[] {
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
