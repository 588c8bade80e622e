import type { ClientBase } from "pg";
import type { Statement } from "../../db/open.ts";
import { groupBy } from "../../formats/groups.ts";
import type { Observation } from "../agents/observation.ts";
import { toSessionId } from "./observe/fold/ids.ts";
import type { CleanedObservations } from "./observe/prepare.ts";
import {
  assertNoTombstoneStatement,
  DELETED_REASON,
  findDeletedRecordingNames,
  type RecordingNames,
} from "./tombstones.ts";

/**
 * Rejects the observations that belong to deleted sessions and users. Call the function after the statement of
 * `checkNothingDeletedStatement` failed.
 */
export async function rejectDeletedObservations(
  client: ClientBase,
  organizationId: string,
  { prepared, rejected }: CleanedObservations,
): Promise<CleanedObservations> {
  const all = arrivalsOf(organizationId, prepared);
  const deleted = await findDeletedRecordingNames(client, [...all.keys()]);
  for (const [arrival, indexes] of all) {
    if (deleted.has(arrival)) for (const index of indexes) rejected.set(index, DELETED_REASON);
  }
  return { prepared: prepared.filter(({ index }) => !rejected.has(index)), rejected };
}

/** Returns a statement that fails if any observation belongs to a deleted session or user. */
export const checkNothingDeletedStatement = (organizationId: string, { prepared }: CleanedObservations): Statement =>
  assertNoTombstoneStatement(organizationId, arrivalsOf(organizationId, prepared).keys());

/**
 * Groups observations that have the same session, trace and user, and returns the indexes of each group. Grouping saves
 * work, because most observations of an export belong to the same group.
 */
function arrivalsOf(organizationId: string, prepared: CleanedObservations["prepared"]): Map<RecordingNames, number[]> {
  const groups = groupBy(
    prepared,
    ({ observation: { session, source, trace, user } }) => `${source}\n${session}\n${trace}\n${user?.id}`,
  );
  const arrivals = new Map<RecordingNames, number[]>();
  for (const group of groups.values()) {
    const [first] = group;
    if (first)
      arrivals.set(
        arrivalOf(organizationId, first.observation),
        group.map(({ index }) => index),
      );
  }
  return arrivals;
}

const arrivalOf = (organizationId: string, { session, source, trace, user }: Observation): RecordingNames => ({
  organizationId,
  session: session === undefined ? undefined : toSessionId(organizationId, source, session),
  trace,
  provisional: trace === undefined ? undefined : toSessionId(organizationId, "", trace),
  user: user?.id,
});
