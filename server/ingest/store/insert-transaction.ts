import type { ClientBase } from "pg";
import { compiled, knex } from "../../../db/builder.ts";
import { begunWith } from "../../../db/statements/begin.ts";
import { send } from "../../../db/statements/statement.ts";
import { insertMarks } from "../../resources/recorded/analytics/index.ts";
import type { Outcome, Submission } from "../commit/sink.ts";
import type { EncodedEvent } from "../tuple/index.ts";
import { BOUNDS, guards } from "./copy-transaction.ts";
import { insertDeltas } from "./deltas.ts";
import { load, type Placed } from "./load.ts";
import { dropEmptyStubs, storeSessions } from "./sessions.ts";

/** Writes the events of one transaction into their table. */
export type StoreEvents = (client: ClientBase, events: readonly Placed<EncodedEvent>[]) => Promise<void>;

/** One transaction for all submissions: their keys, then users, sessions and events, each in the order of their ids. */
export async function storeByInsert(
  client: ClientBase,
  submissions: readonly Submission[],
  storeEvents: StoreEvents,
): Promise<Outcome[]> {
  try {
    await client.query(await begunWith(client, { bounds: BOUNDS }, [`select ${guards(submissions)}`]));
    const live = await liveKeys(client, submissions);
    const rows = load(submissions, ({ key }) => live.has(key.id));
    await storeSessions(client, rows);
    if (rows.events.length > 0) await storeEvents(client, rows.events);
    const stored = rows.events.filter(({ isNew }) => isNew);
    const notes = [insertDeltas(stored), insertMarks(stored)].filter((note) => note !== undefined);
    if (notes.length > 0) await client.query(notes.join("; "));
    const rejected = rows.events.filter(({ verdict }) => verdict !== "stored");
    if (rejected.length > 0) await dropEmptyStubs(client, rejected);
    await client.query("commit");
    return rows.outcomes();
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
}

const readKeys = compiled("ingest-keys", ["hashes"], ({ hashes }) =>
  knex("ingestKey").whereRaw("hash = any(?::bytea[])", [hashes]).select("hash"),
);
const readKeysAndTokens = compiled("capture-keys", ["hashes"], ({ hashes }) =>
  knex("captureKey").whereRaw("hash = any(?::bytea[])", [hashes]).select("hash"),
);

/** The keys that exist now: what a cache said before counts for nothing here. */
async function liveKeys(client: ClientBase, submissions: readonly Submission[]): Promise<Set<string>> {
  const hashes = new Map(submissions.map(({ key }) => [key.id, key.hash]));
  const read = submissions.some(({ key }) => key.oauth) ? readKeysAndTokens : readKeys;
  const rows = await send<{ hash: Buffer }>(client, read({ hashes: [...hashes.values()] }));
  return new Set(rows.map(({ hash }) => hash.toString("hex")));
}
