import type { ClientBase } from "pg";
import { createGroupCommit, type WaitingItem } from "../../../concurrency/group-commit.ts";
import { runInSlices } from "../../../concurrency/slices.ts";
import { buildCheckSql } from "../../../db/checks.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Database, Statement } from "../../../db/open.ts";
import { buildPreparedBegin } from "../../../db/statements/begin.ts";
import { getScanner } from "../../accounts/switches.ts";
import type { Observation } from "../../agents/observation.ts";
import { newId } from "../../id.ts";
import type { IngestKey } from "../commit/sink.ts";
import { checkNothingDeletedStatement, rejectDeleted } from "../deleted-observations.ts";
import type { Redaction } from "../rules/redaction.ts";
import { runInStore, withStoreConnection } from "../store/connection.ts";
import { TRANSACTION_LIMITS } from "../store/copy-transaction.ts";
import { isCopyUnsupportedError, isDeletedKeyError, isRepeatedIdError } from "../store/sqlstate.ts";
import { isDeletedSessionError } from "../tombstones.ts";
import { rejectExpired } from "../transcripts/retention.ts";
import { copyAll } from "../tuple/index.ts";
import { type CleanedObservations, cleanObservations } from "./prepare.ts";
import {
  type BatchRow,
  buildBatchCopies,
  buildBatchRows,
  buildUnfoldedRows,
  insertObservations,
} from "./store/observation-rows.ts";
import { COMMIT, COPY_FROM_ROWS, type Packet, sendPacket, shareLock } from "./store/packet.ts";
import { recentRows } from "./store/recent.ts";

export interface Recorder {
  db: Database;
  secret: Uint8Array;
  /** Redaction rules for metadata and for args that are JSON. Endpoints pass on the body as sent; recording redacts. */
  redaction: Redaction;
  /** Retention of sessions in days that the server is configured with; 0 for unlimited. */
  retentionDays: number;
  /** Called after a commit that left observations to fold. */
  appended(organizationId: string): void;
  /** Charges the steps of a scan to a key. The given number of observations already pays for some of the steps. */
  scanned(key: IngestKey, steps: number, observations: number): void;
}

/** Observation that was not stored, by its index in the list. */
export interface Rejection {
  index: number;
  reason: string;
}

/** Result for a list. If the key was deleted, nothing is stored. */
export type RecordingOutcome = { key: "deleted" } | { key: "valid"; rejected: readonly Rejection[] };

/** Stores observations durably before resolving. Repeated observations add nothing. @throws Unavailable */
export type Recording = (key: IngestKey, observations: readonly Observation[]) => Promise<RecordingOutcome>;

type Load = readonly WaitingItem<Item, RecordingOutcome>[];
interface Item {
  key: IngestKey;
  observations: readonly Observation[];
}

/** Maximum observations and characters of text per transaction. A larger export gets a separate transaction. */
const MOST = { rows: 64, bytes: 2 * 1024 * 1024 };
const PARALLEL = 3;
/** The embedded engine runs one transaction at a time and waits for the disk: all waiting observations share one. */
const EMBEDDED = { most: { ...MOST, rows: 512 }, parallel: 1 };
const REFUSALS = {
  full: "Too many requests are waiting",
  late: "The database did not take the observations in time",
};

/** Creates the function that stores observations. Requests of a key that arrive during a transaction share the next. */
export function createRecording(recorder: Recorder): Recording {
  const submit = createGroupCommit<Item, RecordingOutcome>({
    ...(recorder.db.engine === "embedded" ? EMBEDDED : { most: MOST, parallel: PARALLEL }),
    maxWaiting: 2_000,
    maxWaitMs: 10_000,
    refusal: (reason) => new Unavailable(REFUSALS[reason]),
    commit: (load) => commit(recorder, load),
  });
  return (key, observations) => {
    const bytes = observations.reduce((sum, each) => sum + charsOf(each), 0);
    return submit(key.id, { key, observations }, { key: key.id, rows: observations.length, bytes });
  };
}

const charsOf = ({ args, result, error }: Observation): number =>
  (args?.text.length ?? 0) + (result?.text.length ?? 0) + (error?.length ?? 0);

async function commit(recorder: Recorder, load: Load): Promise<void> {
  const [first] = load;
  if (!first) return;
  const { key } = first.item;
  const all = load.flatMap(({ item }) => item.observations);
  const rejected = await append(recorder, key, all);
  let from = 0;
  for (const { item, resolve } of load) {
    const [begin, end] = [from, from + item.observations.length];
    from = end;
    if (!rejected) resolve({ key: "deleted" });
    else {
      const own = [...rejected].filter(([index]) => index >= begin && index < end);
      resolve({ key: "valid", rejected: own.map(([index, reason]) => ({ index: index - begin, reason })) });
    }
  }
}

/**
 * Appends observations in several transactions, so that other requests run between the transactions. If an export
 * fails midway, the exporter repeats the export; observations that are already stored add nothing.
 * @returns the rejection reasons by index; undefined if the key was deleted
 */
async function append(
  recorder: Recorder,
  key: IngestKey,
  observations: readonly Observation[],
): Promise<Map<number, string> | undefined> {
  const rejected = new Map<number, string>();
  for (let from = 0; from < observations.length; from += AT_ONCE) {
    const some = await appendSome(recorder, key, observations.slice(from, from + AT_ONCE));
    if (!some) return undefined;
    for (const [index, reason] of some) rejected.set(from + index, reason);
  }
  recorder.appended(key.organizationId);
  return rejected;
}

/** Maximum observations per transaction. */
const AT_ONCE = 512;

/** Cleans the observations before taking a connection. If the key has new settings, repeats with these settings. */
async function appendSome(
  recorder: Recorder,
  key: IngestKey,
  observations: readonly Observation[],
): Promise<Map<number, string> | undefined> {
  const { db, secret, redaction } = recorder;
  const scan = (await getScanner({ db, secret }, key.organizationId)).patient();
  const now = Date.now();
  try {
    for (;;) {
      const settings = await settingsOf(db, key);
      if (!settings) return undefined;
      const omit = { prompts: settings.prompts, toolContents: settings.contents };
      const all = await runInSlices(cleanObservations(observations, { redaction, omit, now }, scan));
      const rejected = await storePrepared(recorder, key, { all, settings, now });
      if (rejected) return rejected;
      known.delete(key);
    }
  } finally {
    recorder.scanned(key, scan.steps(), observations.length);
  }
}

interface Cleaned {
  all: CleanedObservations;
  settings: Settings;
  now: number;
}

/**
 * Sends all statements in one message, with the cached settings of the key, assuming that no session or user was
 * deleted. If the assumption is wrong, a second attempt queries the deletions first.
 * @returns undefined if the key has changed or was deleted
 */
function storePrepared(
  { db, retentionDays }: Recorder,
  key: IngestKey,
  { all, settings, now }: Cleaned,
): Promise<Map<number, string> | undefined> {
  const { organizationId } = key;
  let mayCopy = db.engine === "postgresql" && all.prepared.length >= COPY_FROM_ROWS;
  let isAnyDeleted = false;
  const transact = async (client: ClientBase): Promise<Map<number, string> | undefined> => {
    let kept = await rejectExpired(client, { organizationId, most: retentionDays, now }, all);
    const packet = [...buildPreparedBegin(client, TRANSACTION_LIMITS), shareLock(organizationId), keyIs(key, settings)];
    try {
      if (isAnyDeleted) {
        await sendPacket(client, packet.splice(0));
        kept = await rejectDeleted(client, organizationId, kept);
      } else packet.push(checkNothingDeletedStatement(organizationId, kept));
      const rows = buildBatchRows(
        { organizationId, keyName: settings.name, now },
        kept.prepared.map(({ observation }) => observation),
      );
      await store(client, packet, rows, mayCopy);
      const recent = recentRows(db);
      for (const row of rows) recent.set(row);
      return kept.rejected;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      if (isDeletedKeyError(error)) return undefined;
      if (isDeletedSessionError(error)) isAnyDeleted = true;
      else if (mayCopy && (isRepeatedIdError(error) || isCopyUnsupportedError(error))) mayCopy = false;
      else throw error;
      return transact(client);
    }
  };
  return withStoreConnection(db, { queueClass: "short", tenant: organizationId }, transact);
}

/** Stores rows after the statements of a packet, and commits. */
async function store(client: ClientBase, packet: Packet, rows: readonly BatchRow[], mayCopy: boolean): Promise<void> {
  const unfolded = buildUnfoldedRows(rows, newId());
  if (mayCopy && rows.length > 0) {
    await sendPacket(client, packet);
    await copyAll(client, buildBatchCopies(rows, unfolded), (copies) => `${copies}; commit`);
    return;
  }
  if (rows.length > 0) insertObservations(packet, rows, unfolded);
  await sendPacket(client, [...packet, COMMIT]);
}

interface Settings {
  name: string;
  prompts: boolean;
  contents: boolean;
}

/** Cached settings of keys. The key finder creates a new key object every half minute, which renews the settings. */
const known = new WeakMap<IngestKey, Settings>();

/** Raw SQL, like all statements here (see docs/database.md). Returns undefined for a deleted key. */
async function settingsOf(db: Database, key: IngestKey): Promise<Settings | undefined> {
  const settings = known.get(key);
  if (settings) return settings;
  const { organizationId, hash, oauth } = key;
  const turn = { queueClass: "short", tenant: organizationId } as const;
  const statement = { text: oauth ? TOKEN : KEY, values: [hash, organizationId] };
  const [fresh] = await runInStore(() => db.query<Settings>(statement, undefined, turn));
  if (fresh) known.set(key, fresh);
  return fresh;
}

/** Returns a statement that fails if the key no longer has the cached settings. */
const keyIs = ({ hash, organizationId, oauth }: IngestKey, { name, prompts, contents }: Settings): Statement => ({
  name: oauth ? "observe-token" : "observe-key",
  text: `select ${buildCheckSql("keysAreThere", "count(*) = 1")} from (${oauth ? TOKEN : KEY}) k
    where name = $3 and prompts = $4 and contents = $5`,
  values: [hash, organizationId, name, prompts, contents],
});

/** An OAuth token omits no content. Its name is the name of its user. */
const KEY = `select name, "omitPrompts" as prompts, "omitToolContents" as contents from "ingestKey"
  where hash = $1 and "organizationId" = $2`;
const TOKEN = `select u.name, false as prompts, false as contents from "captureKey" k
  join "oauthToken" t on t.hash = k.hash
  join "oauthGrant" g on g."organizationId" = t."organizationId" and g.id = t."grantId"
  join "user" u on u."organizationId" = g."organizationId" and u.id = g."userId"
  where k.hash = $1 and k."organizationId" = $2`;
