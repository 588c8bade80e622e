import type { ClientBase } from "pg";
import { checkSql } from "../../../db/checks.ts";
import { begunWith } from "../../../db/statements/begin.ts";
import { insertMarks } from "../../resources/recorded/analytics/index.ts";
import { lockOf } from "../../resources/recorded/retention/lock.ts";
import type { Outcome, Submission } from "../commit/sink.ts";
import { nothingDeleted } from "../tombstones.ts";
import { copyAll, copyOfEvents } from "../tuple/index.ts";
import { insertDeltas } from "./deltas.ts";
import { inOrder } from "./events.ts";
import { load } from "./load.ts";
import { insertStubs } from "./sessions.ts";

/** The end of a SELECT that fails when a key was deleted. */
function keyCheck(submissions: readonly Submission[]): string {
  const hashes = [...new Set(submissions.map(({ key }) => key.id))];
  const organizations = [...new Set(submissions.map(({ key }) => key.organizationId))];
  return `${checkSql("keysAreThere", `count(*) = ${hashes.length}`)} from ${tableOfKeys(submissions)} where ${among(
    "hash",
    hashes.map((hash) => `\\x${hash}`),
  )} and ${among('"organizationId"', organizations)}`;
}

const among = (column: string, values: readonly string[]) =>
  `${column} in (${values.map((value) => `'${value}'`).join()})`;

/** The table of the keys of a load. Tokens of OAuth take joins to find, for which loads without any do not pay. */
const tableOfKeys = (submissions: readonly Submission[]): string =>
  submissions.some(({ key }) => key.oauth) ? `"captureKey"` : `"ingestKey"`;

/** Reports whether a load may go the fast way: events alone. */
export const isEventsOnly = (submissions: readonly Submission[]): boolean =>
  submissions.every(({ session }) => session === null) && submissions.some(({ events }) => events.length > 0);

/**
 * Stores a load of events with one message to PostgreSQL and one answer: the statements of the transaction around a
 * COPY straight into the table. Only ids, times and hashes that we checked or made stand in its text.
 * Raw SQL: one text of several statements, with a COPY.
 * Fails whole when an id is already there (23505), a key is not (`keysAreThere`) or a session was deleted
 * (`nothingDeleted`); the INSERT that follows finds which.
 */
export async function storeByCopy(client: ClientBase, submissions: readonly Submission[]): Promise<Outcome[]> {
  const { events, outcomes } = load(submissions, () => true);
  const { first, again } = inOrder(events);
  if (again.length > 0) throw new SameIdTwice();
  const before = [
    `select ${guards(submissions)}, ${keyCheck(submissions)}`,
    nothingDeleted(first.map(({ organization_id, row }) => ({ organization_id, session_id: row.session_id }))),
    insertStubs(events),
    ...given(insertDeltas(first)),
    ...given(insertMarks(first)),
  ];
  try {
    await copyAll(client, [copyOfEvents(first)], (copy) => begunWith(client, BOUNDS, [...before, copy, "commit"]));
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
  return outcomes();
}

const given = (statement: string | undefined): string[] => (statement === undefined ? [] : [statement]);

/** Less than the deadline of a commit. */
export const BOUNDS = { statement: 10_000 };

/** The list of a SELECT: a lock on each organization, shared with other commits and held against retention. */
export const guards = (submissions: readonly Submission[]): string =>
  [...new Set(submissions.map(({ key }) => key.organizationId))]
    .sort()
    .map((organizationId) => `pg_advisory_xact_lock_shared(${lockOf(organizationId)})`)
    .join(", ");

/** An id comes twice in one load: as if it had been there before. */
class SameIdTwice extends Error {
  readonly code = "23505";
}
