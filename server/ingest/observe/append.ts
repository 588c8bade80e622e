import type { ClientBase } from "pg";
import { createGroupCommit, type Waiting } from "../../../concurrency/group-commit.ts";
import { inSlices } from "../../../concurrency/slices.ts";
import { checkSql } from "../../../db/checks.ts";
import { Unavailable } from "../../../db/errors/unavailable.ts";
import type { Database, Statement } from "../../../db/open.ts";
import { beginPrepared } from "../../../db/statements/begin.ts";
import { scannerOf } from "../../accounts/switches.ts";
import { newId } from "../../id.ts";
import type { IngestKey } from "../commit/sink.ts";
import { nothingDeletedOf, withoutDeleted } from "../deleted-observations.ts";
import type { Redaction } from "../rules/redaction.ts";
import { inConnection, inStore } from "../store/connection.ts";
import { BOUNDS } from "../store/copy-transaction.ts";
import { isKeyGone, isRepeat, isUnsupported } from "../store/sqlstate.ts";
import { isDeleted } from "../tombstones.ts";
import { withoutExpired } from "../transcripts/retention.ts";
import { copyAll } from "../tuple/index.ts";
import type { Observation } from "./observation.ts";
import { type PreparedAll, prepareAll } from "./prepare.ts";
import { type BatchRow, batchesOf, copiesOf, insertObservations, unfoldedOf } from "./store/observation-rows.ts";
import { COMMIT, MANY, type Packet, sendPacket, shareLock } from "./store/packet.ts";
import { recentOf } from "./store/recent.ts";

/** The parts of the process that recording needs. */
export interface Recorder {
  db: Database;
  secret: Uint8Array;
  /** Applied here, to metadata and to args that are JSON: endpoints pass on the body as it was sent. */
  redaction: Redaction;
  /** The server's own number of days that sessions stay, 0 for ever. */
  retentionDays: number;
  /** Is called after a commit that left something to fold. */
  appended(organizationId: string): void;
  /** Charges the steps of a scan to a key that pays for so many observations besides. */
  scanned(key: IngestKey, steps: number, observations: number): void;
}

/** An observation that was not kept, by its place in the list. */
export interface Rejection {
  index: number;
  reason: string;
}

/** The result for a list. A deleted key stores nothing. */
export type Recorded = { key: "deleted" } | { key: "valid"; rejected: readonly Rejection[] };

/** Makes observations durable before it resolves. The same ones again add nothing. @throws Unavailable */
export type Recording = (key: IngestKey, observations: readonly Observation[]) => Promise<Recorded>;

type Load = readonly Waiting<Item, Recorded>[];
interface Item {
  key: IngestKey;
  observations: readonly Observation[];
}

/** The bound of one transaction, in observations and characters of their texts. A larger export has one of its own. */
const MOST = { rows: 64, bytes: 2 * 1024 * 1024 };
const PARALLEL = 3;
/** The embedded engine takes one at a time and waits for the disk at each: all that has gathered goes together. */
const EMBEDDED = { most: { ...MOST, rows: 512 }, parallel: 1 };
const REFUSALS = {
  full: "Too many requests are waiting",
  late: "The database did not take the observations in time",
};

/** Requests of one key that arrive while a transaction of that key runs share the next one. */
export function appending(recorder: Recorder): Recording {
  const submit = createGroupCommit<Item, Recorded>({
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
 * Appends observations, some at a time: between the transactions of a large export others have their turn. An export that
 * fails in between is sent again, and what is there already adds nothing.
 * @returns the reasons against some, by their place; undefined for a deleted key
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

/** Observations of one transaction. */
const AT_ONCE = 512;

/** Cleans observations before it takes a connection, by what was known of the key: storing fails where that no longer holds. */
async function appendSome(
  recorder: Recorder,
  key: IngestKey,
  observations: readonly Observation[],
): Promise<Map<number, string> | undefined> {
  const { db, secret, redaction } = recorder;
  const scan = (await scannerOf({ db, secret }, key.organizationId)).patient();
  const now = Date.now();
  try {
    for (;;) {
      const settings = await settingsOf(db, key);
      if (!settings) return undefined;
      const omit = { prompts: settings.prompts, toolContents: settings.contents };
      const all = await inSlices(prepareAll(observations, { redaction, omit, now }, scan));
      const rejected = await storePrepared(recorder, key, { all, settings, now });
      if (rejected) return rejected;
      known.delete(key);
    }
  } finally {
    recorder.scanned(key, scan.steps(), observations.length);
  }
}

interface Cleaned {
  all: PreparedAll;
  settings: Settings;
  now: number;
}

/**
 * All goes to the database in one message, by what was known of the key and of deletions. Where deletions are not as they
 * were known, another try asks first.
 * @returns undefined where the key is not as it was known
 */
function storePrepared(
  { db, retentionDays }: Recorder,
  key: IngestKey,
  { all, settings, now }: Cleaned,
): Promise<Map<number, string> | undefined> {
  const { organizationId } = key;
  let mayCopy = db.engine === "postgresql" && all.prepared.length >= MANY;
  let isAnyDeleted = false;
  const transact = async (client: ClientBase): Promise<Map<number, string> | undefined> => {
    let kept = await withoutExpired(client, { organizationId, most: retentionDays, now }, all);
    const packet = [...beginPrepared(client, BOUNDS), shareLock(organizationId), keyIs(key, settings)];
    try {
      if (isAnyDeleted) {
        await sendPacket(client, packet.splice(0));
        kept = await withoutDeleted(client, organizationId, kept);
      } else packet.push(nothingDeletedOf(organizationId, kept));
      const rows = batchesOf(
        { organizationId, keyName: settings.name, now },
        kept.prepared.map(({ observation }) => observation),
      );
      await store(client, packet, rows, mayCopy);
      const recent = recentOf(db);
      for (const row of rows) recent.set(row);
      return kept.rejected;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      if (isKeyGone(error)) return undefined;
      if (isDeleted(error)) isAnyDeleted = true;
      else if (mayCopy && (isRepeat(error) || isUnsupported(error))) mayCopy = false;
      else throw error;
      return transact(client);
    }
  };
  return inConnection(db, { queueClass: "short", tenant: organizationId }, transact);
}

/** Stores rows behind the statements of a packet, and commits. */
async function store(client: ClientBase, packet: Packet, rows: readonly BatchRow[], mayCopy: boolean): Promise<void> {
  const unfolded = unfoldedOf(rows, newId());
  if (mayCopy && rows.length > 0) {
    await sendPacket(client, packet);
    await copyAll(client, copiesOf(rows, unfolded), (copies) => `${copies}; commit`);
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

/** The settings of keys when they were last read. A key is found anew every half a minute. */
const known = new WeakMap<IngestKey, Settings>();

/** Raw SQL, as all of this: docs/database.md says why. Undefined for a deleted key. */
async function settingsOf(db: Database, key: IngestKey): Promise<Settings | undefined> {
  const settings = known.get(key);
  if (settings) return settings;
  const { organizationId, hash, oauth } = key;
  const turn = { queueClass: "short", tenant: organizationId } as const;
  const statement = { text: oauth ? TOKEN : KEY, values: [hash, organizationId] };
  const [fresh] = await inStore(() => db.query<Settings>(statement, undefined, turn));
  if (fresh) known.set(key, fresh);
  return fresh;
}

/** Fails where a key is not as it was read. */
const keyIs = ({ hash, organizationId, oauth }: IngestKey, { name, prompts, contents }: Settings): Statement => ({
  name: oauth ? "observe-token" : "observe-key",
  text: `select ${checkSql("keysAreThere", "count(*) = 1")} from (${oauth ? TOKEN : KEY}) k
    where name = $3 and prompts = $4 and contents = $5`,
  values: [hash, organizationId, name, prompts, contents],
});

/** A token of OAuth leaves nothing out, and is known by its user. */
const KEY = `select name, "omitPrompts" as prompts, "omitToolContents" as contents from "ingestKey"
  where hash = $1 and "organizationId" = $2`;
const TOKEN = `select u.name, false as prompts, false as contents from "captureKey" k
  join "oauthToken" t on t.hash = k.hash
  join "oauthGrant" g on g."organizationId" = t."organizationId" and g.id = t."grantId"
  join "user" u on u."organizationId" = g."organizationId" and u.id = g."userId"
  where k.hash = $1 and k."organizationId" = $2`;
