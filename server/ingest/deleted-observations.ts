import type { ClientBase } from "pg";
import type { Statement } from "../../db/open.ts";
import { sessionIdOf } from "./observe/fold/ids.ts";
import type { Observation } from "./observe/observation.ts";
import type { PreparedAll } from "./observe/prepare.ts";
import { type Arrival, DELETED, deletedAmong, nothingDeletedAmong } from "./tombstones.ts";

/** Rejects the observations of deleted sessions and users. Ask where `nothingDeletedOf` failed. */
export async function withoutDeleted(
  client: ClientBase,
  organizationId: string,
  { prepared, rejected }: PreparedAll,
): Promise<PreparedAll> {
  const all = arrivalsOf(organizationId, prepared);
  const deleted = await deletedAmong(client, [...all.keys()]);
  for (const [arrival, indexes] of all) {
    if (deleted.has(arrival)) for (const index of indexes) rejected.set(index, DELETED);
  }
  return { prepared: prepared.filter(({ index }) => !rejected.has(index)), rejected };
}

/** Fails where one of the observations is of a deleted session or user. */
export const nothingDeletedOf = (organizationId: string, { prepared }: PreparedAll): Statement =>
  nothingDeletedAmong(organizationId, arrivalsOf(organizationId, prepared).keys());

/** The sessions, traces and users of observations, each with the places of its own. Most of an export share them. */
function arrivalsOf(organizationId: string, prepared: PreparedAll["prepared"]): Map<Arrival, number[]> {
  const known = new Map<string, number[]>();
  const arrivals = new Map<Arrival, number[]>();
  for (const { index, observation } of prepared) {
    const { session, source, trace, user } = observation;
    const key = `${source}\n${session}\n${trace}\n${user?.id}`;
    const indexes = known.get(key);
    if (indexes) {
      indexes.push(index);
      continue;
    }
    const own = [index];
    known.set(key, own);
    arrivals.set(arrivalOf(organizationId, observation), own);
  }
  return arrivals;
}

const arrivalOf = (organizationId: string, { session, source, trace, user }: Observation): Arrival => ({
  organizationId,
  session: session === undefined ? undefined : sessionIdOf(organizationId, source, session),
  trace,
  provisional: trace === undefined ? undefined : sessionIdOf(organizationId, "", trace),
  user: user?.id,
});
