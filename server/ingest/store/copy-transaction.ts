import type { ClientBase } from "pg";
import { buildCheckSql } from "../../../db/checks.ts";
import { buildBeginWith } from "../../../db/statements/begin.ts";
import { insertMarks } from "../../resources/recorded/analytics/index.ts";
import { organizationLockKey } from "../../resources/recorded/retention/lock.ts";
import type { Submission, SubmissionOutcome } from "../commit/sink.ts";
import { noDeletedSessionSql } from "../tombstones.ts";
import { copyAll, copyOfEvents } from "../tuple/index.ts";
import { insertDeltas } from "./deltas.ts";
import { sortEvents } from "./events.ts";
import { collectRows } from "./load.ts";
import { insertStubs } from "./sessions.ts";

/** Returns the end of a SELECT that fails if a key of the submissions was deleted. */
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
 * Returns the table that contains the keys of the submissions. Finding OAuth tokens takes joins, so submissions
 * without OAuth tokens use the table of ingest keys.
 */
const tableOfKeys = (submissions: readonly Submission[]): string =>
  submissions.some(({ key }) => key.oauth) ? `"captureKey"` : `"ingestKey"`;

/** Returns true if the submissions contain only events, which `storeByCopy` can store. */
export const isEventsOnly = (submissions: readonly Submission[]): boolean =>
  submissions.every(({ session }) => session === null) && submissions.some(({ events }) => events.length > 0);

/**
 * Stores events with one message to PostgreSQL and one response: the statements of the transaction, around a COPY
 * directly into the table. Raw SQL: one text with several statements and a COPY. The text contains only ids, times
 * and hashes that the server validated or created. The whole transaction fails if an id already exists (23505), a key
 * was deleted (`keysAreThere`) or a session was deleted (`nothingDeleted`). The INSERT that follows then finds the
 * affected rows.
 */
export async function storeByCopy(
  client: ClientBase,
  submissions: readonly Submission[],
): Promise<SubmissionOutcome[]> {
  const { events, outcomes } = collectRows(submissions, () => true);
  const { first, again } = sortEvents(events);
  if (again.length > 0) throw new SameIdTwice();
  const before = [
    `select ${organizationLocksSql(submissions)}, ${keyCheck(submissions)}`,
    noDeletedSessionSql(first.map(({ organization_id, row }) => ({ organization_id, session_id: row.session_id }))),
    insertStubs(events),
    ...given(insertDeltas(first)),
    ...given(insertMarks(first)),
  ];
  try {
    await copyAll(client, [copyOfEvents(first)], (copy) =>
      buildBeginWith(client, TRANSACTION_LIMITS, [...before, copy, "commit"]),
    );
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
  return outcomes();
}

const given = (statement: string | undefined): string[] => (statement === undefined ? [] : [statement]);

/** Statement timeout in ms. Must be shorter than the deadline of a commit. */
export const TRANSACTION_LIMITS = { statement: 10_000 };

/**
 * Returns the select list that takes a shared lock on each organization. Other commits share the lock; the lock
 * blocks retention.
 */
export const organizationLocksSql = (submissions: readonly Submission[]): string =>
  [...new Set(submissions.map(({ key }) => key.organizationId))]
    .sort()
    .map((organizationId) => `pg_advisory_xact_lock_shared(${organizationLockKey(organizationId)})`)
    .join(", ");

/** The same id occurs twice in the submissions. Has the SQLSTATE of an id that already exists. */
class SameIdTwice extends Error {
  readonly code = "23505";
}
