import type { ClientBase } from "pg";
import { buildCheckSql } from "../../../db/checks.ts";
import { buildBeginWithStatements } from "../../../db/statements/begin.ts";
import { insertHourMarksSql } from "../../resources/recorded/analytics/index.ts";
import { organizationLockKey } from "../../resources/recorded/retention/lock.ts";
import type { Submission, SubmissionOutcome } from "../commit/sink.ts";
import { assertNoDeletedSessionSql } from "../tombstones.ts";
import { bulkInsertByCopy, createEventCopy } from "../tuple/index.ts";
import { insertDeltasSql } from "./deltas.ts";
import { separateRepeatedEvents } from "./events.ts";
import { collectRows } from "./load.ts";
import { insertSessionStubsSql } from "./sessions.ts";

/** Returns the end of a SELECT statement. The statement fails if a key that sent one of the submissions was deleted. */
function keyCheck(submissions: readonly Submission[]): string {
  const hashes = [...new Set(submissions.map(({ key }) => key.id))];
  const organizations = [...new Set(submissions.map(({ key }) => key.organizationId))];
  return `${buildCheckSql("keysAreThere", `count(*) = ${hashes.length}`)} from ${tableOfKeys(submissions)} where ${among(
    "hash",
    hashes.map((hash) => `\\x${hash}`),
  )} and ${among('"organizationId"', organizations)}`;
}

const among = (column: string, values: readonly string[]) =>
  `${column} in (${values.map((value) => `'${value}'`).join()})`;

/**
 * Returns the table that contains the keys of the submissions. `captureKey` also contains OAuth tokens, but needs joins
 * to find the tokens. Submissions without OAuth tokens therefore use `ingestKey`.
 */
const tableOfKeys = (submissions: readonly Submission[]): string =>
  submissions.some(({ key }) => key.oauth) ? `"captureKey"` : `"ingestKey"`;

/** Returns true if the submissions contain only events, which `storeEventsByCopy` can store. */
export const isEventsOnly = (submissions: readonly Submission[]): boolean =>
  submissions.every(({ session }) => session === null) && submissions.some(({ events }) => events.length > 0);

/**
 * Stores events with one message to PostgreSQL and one response. The message contains all statements of the
 * transaction, and a COPY directly into the table. Raw SQL: one text with several statements and a COPY. The text
 * contains only ids, times and hashes that the server validated or created. The whole transaction fails if an id
 * already exists (23505), a key was deleted (`keysAreThere`) or a session was deleted (`nothingDeleted`). The caller
 * then stores the events by INSERT, which finds the affected rows.
 */
export async function storeEventsByCopy(
  client: ClientBase,
  submissions: readonly Submission[],
): Promise<SubmissionOutcome[]> {
  const { events, outcomes } = collectRows(submissions, () => true);
  const { first, again } = separateRepeatedEvents(events);
  if (again.length > 0) throw new SameIdTwice();
  const before = [
    `select ${organizationLocksSql(submissions)}, ${keyCheck(submissions)}`,
    assertNoDeletedSessionSql(
      first.map(({ organization_id, row }) => ({ organization_id, session_id: row.session_id })),
    ),
    insertSessionStubsSql(events),
    ...given(insertDeltasSql(first)),
    ...given(insertHourMarksSql(first)),
  ];
  try {
    await bulkInsertByCopy(client, [createEventCopy(first)], (copy) =>
      buildBeginWithStatements(client, TRANSACTION_TIMEOUTS_MS, [...before, copy, "commit"]),
    );
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
  return outcomes();
}

const given = (statement: string | undefined): string[] => (statement === undefined ? [] : [statement]);

/** Statement timeout in ms. Must be shorter than the deadline of a commit. */
export const TRANSACTION_TIMEOUTS_MS = { statement: 10_000 };

/**
 * Returns a select list that takes a shared lock on each organization. Other commits can hold the lock at the same
 * time, but retention must wait for the lock.
 */
export const organizationLocksSql = (submissions: readonly Submission[]): string =>
  [...new Set(submissions.map(({ key }) => key.organizationId))]
    .sort()
    .map((organizationId) => `pg_advisory_xact_lock_shared(${organizationLockKey(organizationId)})`)
    .join(", ");

/**
 * Thrown if the submissions contain the same event id twice. The error has the SQLSTATE of an id that already exists.
 */
class SameIdTwice extends Error {
  readonly code = "23505";
}
