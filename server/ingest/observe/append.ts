import type { ClientBase } from "pg";
import { createGroupCommit, type WaitingItem } from "../../../concurrency/group-commit.ts";
import { runInSlices } from "../../../concurrency/slices.ts";
import { buildCheckSql } from "../../../db/checks.ts";
import { UnavailableError } from "../../../db/errors/unavailable.ts";
import type { Database, Statement } from "../../../db/open.ts";
import { buildPreparedBegin } from "../../../db/statements/begin.ts";
import { getScanner } from "../../accounts/switches.ts";
import type { Observation } from "../../agents/observation.ts";
import { newId } from "../../id.ts";
import type { IngestCredential } from "../commit/sink.ts";
import { checkNothingDeletedStatement, rejectDeletedObservations } from "../deleted-observations.ts";
import type { MetadataRedaction } from "../rules/redaction.ts";
import { runWithStoreErrorTranslation, withStoreConnection } from "../store/connection.ts";
import { TRANSACTION_TIMEOUTS_MS } from "../store/copy-transaction.ts";
import { isCopyUnsupportedError, isDeletedKeyError, isRepeatedIdError } from "../store/sqlstate.ts";
import { isDeletedSessionError } from "../tombstones.ts";
import { rejectExpiredTranscriptLines } from "../transcripts/retention.ts";
import { bulkInsertByCopy } from "../tuple/index.ts";
import { type CleanedObservations, cleanObservations } from "./prepare.ts";
import {
  buildBatchCopies,
  buildBatchRows,
  buildUnfoldedRows,
  insertObservations,
  type ObservationBatchRow,
} from "./store/observation-rows.ts";
import {
  COMMIT_STATEMENT,
  MIN_ROWS_FOR_COPY,
  type StatementPacket,
  sendPacket,
  sharedRetentionLockStatement,
} from "./store/packet.ts";
import { getRecentObservationCache } from "./store/recent.ts";

export interface RecordingContext {
  db: Database;
  secret: Uint8Array;
  /**
   * Rules for redacting metadata and args that are JSON. Endpoints pass the body on unredacted; the code that stores
   * observations applies the rules.
   */
  redaction: MetadataRedaction;
  /** Retention of sessions in days that the server is configured with; 0 for unlimited. */
  retentionDays: number;
  /**
   * Called after observations have been stored, once for all transactions of the same list. The projector then folds
   * the observations into events.
   */
  appended(organizationId: string): void;
  /**
   * Charges the steps of a secret scan to the rate limit of a key. The observations that the key already paid for cover
   * some of the steps.
   */
  scanned(key: IngestCredential, steps: number, observations: number): void;
}

/** Observation that was not stored, by its index in the list. */
export interface RejectedObservation {
  index: number;
  reason: string;
}

/** Result of storing a list of observations. If the key was deleted, nothing more is stored. */
export type RecordingOutcome = { key: "deleted" } | { key: "valid"; rejected: readonly RejectedObservation[] };

/**
 * Stores observations and resolves only when the observations are durable. Sending an observation again has no effect.
 * @throws UnavailableError
 */
export type RecordObservations = (
  key: IngestCredential,
  observations: readonly Observation[],
) => Promise<RecordingOutcome>;

type Load = readonly WaitingItem<Item, RecordingOutcome>[];
interface Item {
  key: IngestCredential;
  observations: readonly Observation[];
}

/**
 * Limits up to which requests share a transaction: number of observations, and characters of text. An export above a
 * limit shares its transactions with no other request.
 */
const MOST = { rows: 64, bytes: 2 * 1024 * 1024 };
const PARALLEL = 3;
/**
 * The embedded engine runs one transaction at a time and waits for the disk at each commit. More waiting observations
 * of a key therefore share one transaction.
 */
const EMBEDDED = { most: { ...MOST, rows: 512 }, parallel: 1 };
const REFUSALS = {
  full: "Too many requests are waiting; try again",
  late: "The database did not store the observations in time; try again",
};

/**
 * Creates the function that stores observations. Requests that arrive with the same key during a transaction share the
 * next transaction.
 */
export function createObservationRecorder(recorder: RecordingContext): RecordObservations {
  const submit = createGroupCommit<Item, RecordingOutcome>({
    ...(recorder.db.engine === "embedded" ? EMBEDDED : { most: MOST, parallel: PARALLEL }),
    maxWaiting: 2_000,
    maxWaitMs: 10_000,
    refusal: (reason) => new UnavailableError(REFUSALS[reason]),
    commit: (load) => commit(recorder, load),
  });
  return (key, observations) => {
    const bytes = observations.reduce((sum, each) => sum + charsOf(each), 0);
    return submit(key.id, { key, observations }, { key: key.id, rows: observations.length, bytes });
  };
}

const charsOf = ({ args, result, error }: Observation): number =>
  (args?.text.length ?? 0) + (result?.text.length ?? 0) + (error?.length ?? 0);

async function commit(recorder: RecordingContext, load: Load): Promise<void> {
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
 * Stores observations in several transactions, so that other requests run in between. If an export fails midway, the
 * exporter sends the whole export again; the observations that are already stored are not stored twice.
 * @returns the rejection reasons by index; undefined if the key was deleted
 */
async function append(
  recorder: RecordingContext,
  key: IngestCredential,
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

/**
 * Cleans the observations before a database connection is taken. If the settings of the key have changed meanwhile,
 * cleans and stores the observations again with the new settings.
 */
async function appendSome(
  recorder: RecordingContext,
  key: IngestCredential,
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
 * Sends all statements in one message. The message uses the cached settings of the key and assumes that no session or
 * user was deleted. If a session or user was deleted, a second attempt first queries which ones.
 * @returns undefined if the key has changed or was deleted
 */
function storePrepared(
  { db, retentionDays }: RecordingContext,
  key: IngestCredential,
  { all, settings, now }: Cleaned,
): Promise<Map<number, string> | undefined> {
  const { organizationId } = key;
  let mayCopy = db.engine === "postgresql" && all.prepared.length >= MIN_ROWS_FOR_COPY;
  let isAnyDeleted = false;
  const transact = async (client: ClientBase): Promise<Map<number, string> | undefined> => {
    let kept = await rejectExpiredTranscriptLines(client, { organizationId, most: retentionDays, now }, all);
    const packet = [
      ...buildPreparedBegin(client, TRANSACTION_TIMEOUTS_MS),
      sharedRetentionLockStatement(organizationId),
      keyIs(key, settings),
    ];
    try {
      if (isAnyDeleted) {
        await sendPacket(client, packet.splice(0));
        kept = await rejectDeletedObservations(client, organizationId, kept);
      } else packet.push(checkNothingDeletedStatement(organizationId, kept));
      const rows = buildBatchRows(
        { organizationId, keyName: settings.name, now },
        kept.prepared.map(({ observation }) => observation),
      );
      await store(client, packet, rows, mayCopy);
      const recent = getRecentObservationCache(db);
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

/** Runs the statements of a packet, stores the rows, and commits. */
async function store(
  client: ClientBase,
  packet: StatementPacket,
  rows: readonly ObservationBatchRow[],
  mayCopy: boolean,
): Promise<void> {
  const unfolded = buildUnfoldedRows(rows, newId());
  if (mayCopy && rows.length > 0) {
    await sendPacket(client, packet);
    await bulkInsertByCopy(client, buildBatchCopies(rows, unfolded), (copies) => `${copies}; commit`);
    return;
  }
  if (rows.length > 0) insertObservations(packet, rows, unfolded);
  await sendPacket(client, [...packet, COMMIT_STATEMENT]);
}

interface Settings {
  name: string;
  prompts: boolean;
  contents: boolean;
}

/**
 * Cached settings of keys. The key finder creates a new key object every half minute, so settings are read again at
 * least that often.
 */
const known = new WeakMap<IngestCredential, Settings>();

/** Raw SQL, like all statements here (see docs/database.md). Returns undefined for a deleted key. */
async function settingsOf(db: Database, key: IngestCredential): Promise<Settings | undefined> {
  const settings = known.get(key);
  if (settings) return settings;
  const { organizationId, hash, oauth } = key;
  const turn = { queueClass: "short", tenant: organizationId } as const;
  const statement = { text: oauth ? TOKEN : KEY, values: [hash, organizationId] };
  const [fresh] = await runWithStoreErrorTranslation(() => db.query<Settings>(statement, undefined, turn));
  if (fresh) known.set(key, fresh);
  return fresh;
}

/** Returns a statement that fails if the key no longer has the cached settings. */
const keyIs = (
  { hash, organizationId, oauth }: IngestCredential,
  { name, prompts, contents }: Settings,
): Statement => ({
  name: oauth ? "observe-token" : "observe-key",
  text: `select ${buildCheckSql("keysAreThere", "count(*) = 1")} from (${oauth ? TOKEN : KEY}) k
    where name = $3 and prompts = $4 and contents = $5`,
  values: [hash, organizationId, name, prompts, contents],
});

/** An OAuth token has no settings that omit content. The name of the token is the name of its user. */
const KEY = `select name, "omitPrompts" as prompts, "omitToolContents" as contents from "ingestKey"
  where hash = $1 and "organizationId" = $2`;
const TOKEN = `select u.name, false as prompts, false as contents from "captureKey" k
  join "oauthToken" t on t.hash = k.hash
  join "oauthGrant" g on g."organizationId" = t."organizationId" and g.id = t."grantId"
  join "user" u on u."organizationId" = g."organizationId" and u.id = g."userId"
  where k.hash = $1 and k."organizationId" = $2`;
