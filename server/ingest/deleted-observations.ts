import type { ClientBase } from "pg";
import { sessionIdOf } from "./observe/fold/ids.ts";
import type { Observation } from "./observe/observation.ts";
import type { PreparedAll } from "./observe/prepare.ts";
import { type Arrival, DELETED, deletedAmong } from "./tombstones.ts";

/** Rejects the observations of deleted sessions and users. */
export async function withoutDeleted(
  client: ClientBase,
  organizationId: string,
  { prepared, rejected }: PreparedAll,
): Promise<PreparedAll> {
  // Most observations of an export belong to the same.
  const arrivals = new Map<string, { arrival: Arrival; indexes: number[] }>();
  for (const { index, observation } of prepared) {
    const { session, source, trace, user } = observation;
    const key = `${source}\n${session}\n${trace}\n${user?.id}`;
    const known = arrivals.get(key) ?? { arrival: arrivalOf(organizationId, observation), indexes: [] };
    arrivals.set(key, known);
    known.indexes.push(index);
  }
  const all = [...arrivals.values()];
  const deleted = await deletedAmong(
    client,
    all.map(({ arrival }) => arrival),
  );
  for (const { arrival, indexes } of deleted.size > 0 ? all : []) {
    if (deleted.has(arrival)) for (const index of indexes) rejected.set(index, DELETED);
  }
  return { prepared: deleted.size > 0 ? prepared.filter(({ index }) => !rejected.has(index)) : prepared, rejected };
}

const arrivalOf = (organizationId: string, { session, source, trace, user }: Observation): Arrival => ({
  organizationId,
  session: session === undefined ? undefined : sessionIdOf(organizationId, source, session),
  trace,
  provisional: trace === undefined ? undefined : sessionIdOf(organizationId, "", trace),
  user: user?.id,
});
