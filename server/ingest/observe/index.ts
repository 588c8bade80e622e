import type { ClientBase, QueryResult } from "pg";
import type { Database } from "../../../db/open.ts";
import type { Bounds } from "../../../db/statements/begin.ts";
import { redactorOf } from "../../accounts/redaction.ts";
import type { Redactor } from "../../redaction/index.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Redaction } from "../rules/redaction.ts";
import { inConnection } from "../store/connection.ts";
import { BOUNDS } from "../store/copy-transaction.ts";
import { isRefusal, isRepeat, isUnsupported } from "../store/sqlstate.ts";
import type { Observation } from "./observation.ts";
import { beginObserving } from "./transaction/begin.ts";
import { storeByHalves } from "./transaction/halves.ts";
import { storeObservations } from "./transaction/store.ts";

/** The parts of the process that recording needs. */
export interface Recorder {
  db: Database;
  secret: Uint8Array;
  /** Applied here, to metadata and to args that are JSON: endpoints pass on the body as it was sent. */
  redaction: Redaction;
}

/** An observation that was not kept, by its place in the list. */
export interface Rejection {
  index: number;
  reason: string;
}

/** The result for a list. A deleted key stores nothing. */
export type Recorded = { key: "deleted" } | { key: "valid"; rejected: readonly Rejection[] };

/**
 * Makes a list of observations durable, in one transaction that is committed when this resolves. The same observations
 * again, in any order, add nothing. `lockMs` bounds how long it waits for a row that another transaction holds.
 * @throws Unavailable when nothing was kept and another try makes sense
 */
export async function recordObservations(
  { db, secret, redaction }: Recorder,
  key: IngestKey,
  observations: readonly Observation[],
  lockMs?: number,
): Promise<Recorded> {
  const mayCopy = db.engine === "postgresql";
  const bounds = lockMs === undefined ? BOUNDS : { ...BOUNDS, lock: lockMs };
  const redactor = await redactorOf({ db, secret }, key.organizationId);
  const request = {
    redaction,
    redactor,
    key,
    now: Date.now(),
    bounds,
    mayCopy,
    inHalves: false,
    alsoLock: new Set<string>(),
  };
  const {
    sessions,
    unlocked: _none,
    ...recorded
  } = await inConnection(db, { queueClass: "short", tenant: key.organizationId }, (client) =>
    store(client, request, observations),
  );
  for (const id of sessions) db.wake.touch(key.organizationId, id);
  return recorded;
}

/**
 * Copies what is new, unless an event is there that was not a moment ago, or COPY is not to be had. What the database
 * refuses for good is found by halves, so that only it is lost. Sessions are locked in one order: when an observation
 * turns out to change events of a session that it does not name, all begins again with that session locked too.
 */
async function store(client: ClientBase, request: Request, observations: readonly Observation[]) {
  for (let next = request; ; ) {
    try {
      const stored = await transact(client, next, observations);
      if (stored.unlocked.length === 0) return stored;
      next = { ...next, alsoLock: new Set([...next.alsoLock, ...stored.unlocked]) };
    } catch (error) {
      if (next.mayCopy && (isRepeat(error) || isUnsupported(error))) next = { ...next, mayCopy: false };
      else if (!next.inHalves && isRefusal(error)) next = { ...next, mayCopy: false, inHalves: true };
      else throw error;
    }
  }
}

interface Request {
  redaction: Redaction;
  redactor: Redactor;
  key: IngestKey;
  now: number;
  bounds: Bounds;
  mayCopy: boolean;
  inHalves: boolean;
  alsoLock: ReadonlySet<string>;
}

async function transact(client: ClientBase, request: Request, observations: readonly Observation[]) {
  const { organizationId } = request.key;
  try {
    const settings = await begin(client, request);
    if (!settings) {
      await client.query("rollback");
      return { key: "deleted" as const, sessions: [], unlocked: [] };
    }
    const { now, redaction, redactor, mayCopy, inHalves, alsoLock } = request;
    const owner = { organizationId, now, redaction, redactor, mayCopy, commits: !inHalves, alsoLock, ...settings };
    const { rejected, sessions, unlocked } = await (inHalves ? storeByHalves : storeObservations)(
      client,
      owner,
      observations,
    );
    if (unlocked.length > 0) await client.query("rollback");
    else if (inHalves) await client.query("commit");
    return {
      key: "valid" as const,
      sessions: [...sessions],
      unlocked,
      rejected: [...rejected].map(([index, reason]) => ({ index, reason })),
    };
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

interface Settings {
  name: string;
  prompts: boolean;
  contents: boolean;
}

/**
 * Raw SQL, as all of this: docs/database.md says why. Begins, and reads what the key says now; a cache is not asked. One
 * message, in which nothing stands that a caller sent. A token of OAuth leaves nothing out, and is known by its user.
 */
async function begin(client: ClientBase, { key, bounds }: Request) {
  const { organizationId, hash, oauth } = key;
  const own = oauth ? ` and k."organizationId" = '${organizationId}'` : "";
  const settings = `${oauth ? TOKEN : KEY} '\\x${hash.toString("hex")}'${own}`;
  const results: unknown = await client.query(await beginObserving(client, { organizationId, bounds }, [settings]));
  const [row] = (results as QueryResult<Settings>[]).at(-1)?.rows ?? [];
  return row && { keyName: row.name, omit: { prompts: row.prompts, toolContents: row.contents } };
}

const KEY = `select name, "omitPrompts" as prompts, "omitToolContents" as contents from "ingestKey" where hash =`;
const TOKEN = `select u.name, false as prompts, false as contents from "captureKey" k
  join "oauthToken" t on t.hash = k.hash
  join "oauthGrant" g on g."organizationId" = t."organizationId" and g.id = t."grantId"
  join "user" u on u."organizationId" = g."organizationId" and u.id = g."userId" where k.hash =`;
