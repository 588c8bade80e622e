import type { ClientBase } from "pg";
import { compiled, knex } from "../../../db/builder.ts";
import { begunWith } from "../../../db/statements/begin.ts";
import { send } from "../../../db/statements/statement.ts";
import { insertMarks } from "../../resources/recorded/analytics/index.ts";
import type { Outcome, Submission } from "../commit/sink.ts";
import { type Arrival, deletedAmong } from "../tombstones.ts";
import type { EncodedEvent } from "../tuple/index.ts";
import { BOUNDS, guards } from "./copy-transaction.ts";
import { insertDeltas } from "./deltas.ts";
import { type Load, load, type Placed } from "./load.ts";
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
    await client.query(await begunWith(client, BOUNDS, [`select ${guards(submissions)}`]));
    const live = await liveKeys(client, submissions);
    const all = load(submissions, ({ key }) => live.keys.has(key.id));
    const rows = live.anyDeleted ? await withoutDeleted(client, all) : all;
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

/** Refuses the rows of deleted sessions and users; the others are stored. */
async function withoutDeleted(client: ClientBase, { sessions, events, outcomes }: Load): Promise<Load> {
  const arrivals = new Map<Arrival, Placed<unknown>>();
  for (const placed of sessions) {
    const { session_id: session, user_id: user } = placed.row;
    arrivals.set({ organizationId: placed.organization_id, session, user }, placed);
  }
  for (const placed of events) {
    arrivals.set({ organizationId: placed.organization_id, session: placed.row.session_id }, placed);
  }
  const deleted = await deletedAmong(client, [...arrivals.keys()]);
  if (deleted.size === 0) return { sessions, events, outcomes };
  for (const arrival of deleted) Object.assign(arrivals.get(arrival) ?? {}, { verdict: "deleted", isNew: false });
  const isLeft = ({ verdict }: Placed<unknown>) => verdict !== "deleted";
  return { sessions: sessions.filter(isLeft), events: events.filter(isLeft), outcomes };
}

const readFrom = (name: string, table: string) =>
  compiled(name, ["hashes", "organizations"], ({ hashes, organizations }) =>
    knex(table)
      .whereRaw("hash = any(?::bytea[])", [hashes])
      .select("hash", {
        anyDeleted: knex.raw("exists (select 1 from recorded_tombstone where organization_id = any(?::uuid[]))", [
          organizations,
        ]),
      }),
  );
const readKeys = readFrom("ingest-keys", "ingestKey");
const readKeysAndTokens = readFrom("capture-keys", "captureKey");

interface Live {
  keys: Set<string>;
  /** True when something was deleted in one of their organizations. */
  anyDeleted: boolean;
}

/** The keys that exist now: what a cache said before counts for nothing here. */
async function liveKeys(client: ClientBase, submissions: readonly Submission[]): Promise<Live> {
  const hashes = new Map(submissions.map(({ key }) => [key.id, key.hash]));
  const organizations = [...new Set(submissions.map(({ key }) => key.organizationId))];
  const read = submissions.some(({ key }) => key.oauth) ? readKeysAndTokens : readKeys;
  const by = { hashes: [...hashes.values()], organizations };
  const rows = await send<{ hash: Buffer; anyDeleted: boolean }>(client, read(by));
  return {
    keys: new Set(rows.map(({ hash }) => hash.toString("hex"))),
    anyDeleted: rows.some(({ anyDeleted }) => anyDeleted),
  };
}
