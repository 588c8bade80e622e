import type { ClientBase } from "pg";
import type { Database } from "../../../db/open.ts";
import { beginText } from "../../../db/statements/begin.ts";
import { lockOf } from "../../resources/recorded/retention-lock.ts";
import type { IngestKey } from "../commit/sink.ts";
import type { Redaction } from "../rules/redaction.ts";
import { inConnection } from "../store/connection.ts";
import { BOUNDS } from "../store/copy-transaction.ts";
import type { Observation } from "./observation.ts";
import { storeObservations } from "./transaction.ts";

/** What recording needs of the process. */
export interface Recorder {
  db: Database;
  /** Applied here, to metadata and to args that are JSON: doors hand on what they were sent. */
  redaction: Redaction;
}

/** An observation that was not kept, by its place in the list. */
export interface Rejection {
  index: number;
  reason: string;
}

/** What became of a list; a deleted key stores nothing. */
export type Recorded = { key: "deleted" } | { key: "valid"; rejected: readonly Rejection[] };

/**
 * Makes a list of observations durable, in one transaction that is committed when this resolves. The same observations
 * again, in any order, add nothing.
 * @throws Unavailable when nothing was kept and another try makes sense
 */
export async function recordObservations(
  { db, redaction }: Recorder,
  key: IngestKey,
  observations: readonly Observation[],
): Promise<Recorded> {
  const now = Date.now();
  const { sessions, ...recorded } = await inConnection(db, (client) =>
    transact(client, { redaction, key, now }, observations),
  );
  for (const id of sessions) db.wake.touch(key.organizationId, id);
  return recorded;
}

interface Request {
  redaction: Redaction;
  key: IngestKey;
  now: number;
}

async function transact(client: ClientBase, request: Request, observations: readonly Observation[]) {
  const { organizationId } = request.key;
  try {
    const lock = `select pg_advisory_xact_lock_shared(${lockOf(organizationId)})`;
    await client.query([...beginText(client, BOUNDS), lock].join("; "));
    const settings = await settingsOf(client, request.key);
    if (!settings) {
      await client.query("rollback");
      return { key: "deleted" as const, sessions: [] };
    }
    const { now, redaction } = request;
    const { rejected, sessions } = await storeObservations(
      client,
      { organizationId, now, redaction, ...settings },
      observations,
    );
    await client.query("commit");
    return {
      key: "valid" as const,
      sessions: [...sessions],
      rejected: [...rejected].map(([index, reason]) => ({ index, reason })),
    };
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

/** Raw SQL, as all of this: docs/database.md says why. What the key says now; a cache is not asked. A token of OAuth leaves nothing out, and is known by its user. */
async function settingsOf(client: ClientBase, { hash, oauth }: IngestKey) {
  const [name, text] = oauth ? (["observe-token", TOKEN] as const) : (["observe-key", KEY] as const);
  const { rows } = await client.query<{ name: string; prompts: boolean; contents: boolean }>({
    name,
    text,
    values: [hash],
  });
  const [row] = rows;
  return row && { keyName: row.name, omit: { prompts: row.prompts, toolContents: row.contents } };
}

const KEY = `select name, "omitPrompts" as prompts, "omitToolContents" as contents from "ingestKey" where hash = $1`;
const TOKEN = `select u.name, false as prompts, false as contents from "captureKey" k
  join "oauthToken" t on t.hash = k.hash
  join "oauthGrant" g on g."organizationId" = t."organizationId" and g.id = t."grantId"
  join "user" u on u."organizationId" = g."organizationId" and u.id = g."userId" where k.hash = $1`;
