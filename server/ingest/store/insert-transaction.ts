import type { ClientBase } from "pg";
import { definePreparedStatement, knex } from "../../../db/builder.ts";
import { buildBeginWithStatements } from "../../../db/statements/begin.ts";
import { sendStatement } from "../../../db/statements/statement.ts";
import { insertHourMarksSql } from "../../resources/recorded/analytics/index.ts";
import type { Submission, SubmissionOutcome } from "../commit/sink.ts";
import { findDeletedRecordingNames, type RecordingNames } from "../tombstones.ts";
import type { EncodedEvent } from "../tuple/index.ts";
import { organizationLocksSql, TRANSACTION_TIMEOUTS_MS } from "./copy-transaction.ts";
import { insertDeltasSql } from "./deltas.ts";
import { type CommitRows, collectRows, type RowToStore } from "./load.ts";
import { dropEmptyStubs, storeSessions } from "./sessions.ts";

/** Writes the events of a transaction into the events table. */
export type StoreEvents = (client: ClientBase, events: readonly RowToStore<EncodedEvent>[]) => Promise<void>;

/**
 * Stores all submissions in one transaction: checks the keys, then stores users, sessions and events, each in the
 * order of ids.
 */
export async function storeSubmissionsByInsert(
  client: ClientBase,
  submissions: readonly Submission[],
  storeEvents: StoreEvents,
): Promise<SubmissionOutcome[]> {
  try {
    await client.query(
      await buildBeginWithStatements(client, TRANSACTION_TIMEOUTS_MS, [`select ${organizationLocksSql(submissions)}`]),
    );
    const live = await liveKeys(client, submissions);
    const all = collectRows(submissions, ({ key }) => live.keys.has(key.id));
    const rows = live.anyDeleted ? await withoutDeleted(client, all) : all;
    await storeSessions(client, rows);
    if (rows.events.length > 0) await storeEvents(client, rows.events);
    const stored = rows.events.filter(({ isNew }) => isNew);
    const notes = [insertDeltasSql(stored), insertHourMarksSql(stored)].filter((note) => note !== undefined);
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

/** Rejects the rows of deleted sessions and users. Returns the other rows, which are to be stored. */
async function withoutDeleted(client: ClientBase, { sessions, events, outcomes }: CommitRows): Promise<CommitRows> {
  const arrivals = new Map<RecordingNames, RowToStore<unknown>>();
  for (const placed of sessions) {
    const { session_id: session, user_id: user } = placed.row;
    arrivals.set({ organizationId: placed.organization_id, session, user }, placed);
  }
  for (const placed of events) {
    arrivals.set({ organizationId: placed.organization_id, session: placed.row.session_id }, placed);
  }
  const deleted = await findDeletedRecordingNames(client, [...arrivals.keys()]);
  if (deleted.size === 0) return { sessions, events, outcomes };
  for (const arrival of deleted) Object.assign(arrivals.get(arrival) ?? {}, { verdict: "deleted", isNew: false });
  const isLeft = ({ verdict }: RowToStore<unknown>) => verdict !== "deleted";
  return { sessions: sessions.filter(isLeft), events: events.filter(isLeft), outcomes };
}

const readFrom = (name: string, table: string) =>
  definePreparedStatement(name, ["hashes", "organizations"], ({ hashes, organizations }) =>
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
  /** True if any of the organizations has a tombstone of a deleted session or user. */
  anyDeleted: boolean;
}

/** Reads the keys that exist now, because a cached key may have been deleted. */
async function liveKeys(client: ClientBase, submissions: readonly Submission[]): Promise<Live> {
  const hashes = new Map(submissions.map(({ key }) => [key.id, key.hash]));
  const organizations = [...new Set(submissions.map(({ key }) => key.organizationId))];
  const read = submissions.some(({ key }) => key.oauth) ? readKeysAndTokens : readKeys;
  const by = { hashes: [...hashes.values()], organizations };
  const rows = await sendStatement<{ hash: Buffer; anyDeleted: boolean }>(client, read(by));
  return {
    keys: new Set(rows.map(({ hash }) => hash.toString("hex"))),
    anyDeleted: rows.some(({ anyDeleted }) => anyDeleted),
  };
}
