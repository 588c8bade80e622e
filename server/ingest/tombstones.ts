import type { ClientBase } from "pg";
import { checkSql, hasFailed } from "../../db/checks.ts";
import type { Statement } from "../../db/open.ts";
import { hashSql, type NameKind, nameOf } from "../resources/recorded/deletion/names.ts";

/** The names under which something that arrived belongs to a recording. */
export interface Arrival {
  organizationId: string;
  session?: string | undefined;
  trace?: string | undefined;
  /** The session that stands for the trace until something names another. */
  provisional?: string | undefined;
  user?: string | undefined;
}

/** The reason against something that belongs to a deleted recording. */
export const DELETED = "belongs to a session or user that was deleted";

/** Raw SQL, as all of this: names travel as one list. Those of some names that have a tombstone. */
const FIND = `select n.organization_id as "organizationId", n.name from unnest($1::uuid[], $2::text[]) n (organization_id, name)
  join organization o on o.id = n.organization_id
  join recorded_tombstone t on t.organization_id = n.organization_id and t.hash = ${hashSql("n.name")}`;

/**
 * Those of some arrivals that belong to a deleted session or user: they are not stored. Ask under the shared lock of
 * `lockOf`, so that no deletion happens between the answer and the commit. Other names of a refused arrival are deleted
 * as well: a session of a deleted user is refused from then on, by events too that do not name the user.
 */
export async function deletedAmong(client: ClientBase, arrivals: readonly Arrival[]): Promise<Set<Arrival>> {
  const keys = new Map(arrivals.flatMap((arrival) => namesOf(arrival).map((name) => [keyOf(arrival, name), name])));
  if (keys.size === 0) return new Set();
  const { rows } = await client.query<{ organizationId: string; name: string }>({
    name: "tombstones",
    text: FIND,
    values: [[...keys.keys()].map((key) => key.slice(0, UUID_CHARS)), [...keys.values()]],
  });
  if (rows.length === 0) return new Set();
  const known = new Set(rows.map((row) => keyOf(row, row.name)));
  const refused = spread(arrivals, new Set(known));
  await bury(client, refused, known);
  return refused;
}

const UUID_CHARS = 36;
const keyOf = ({ organizationId }: { organizationId: string }, name: string): string => organizationId + name;

type Named = readonly (readonly [NameKind, string | undefined])[];

const spelled = (names: Named): string[] => names.flatMap(([kind, id]) => (id === undefined ? [] : [nameOf(kind, id)]));

const traceOf = ({ trace, provisional }: Arrival): Named => [
  ["trace", trace],
  ["session", provisional],
];

/** The names that an arrival is known by. Several sessions may share a trace: it stands for one where none is named. */
const namesOf = (arrival: Arrival): string[] =>
  spelled([
    ...(arrival.session === undefined ? traceOf(arrival) : ([["session", arrival.session]] as const)),
    ["user", arrival.user],
  ]);

/** Names that are deleted along with the one that an arrival was refused by. A session does not take its user along. */
const followingOf = (arrival: Arrival): string[] => spelled([["session", arrival.session], ...traceOf(arrival)]);

/** The arrivals that have a deleted name, or share one with an arrival that is refused. */
function spread(arrivals: readonly Arrival[], deleted: Set<string>): Set<Arrival> {
  const refused = new Set<Arrival>();
  for (let before = -1; before < refused.size; ) {
    before = refused.size;
    for (const arrival of arrivals) {
      if (refused.has(arrival) || !namesOf(arrival).some((name) => deleted.has(keyOf(arrival, name)))) continue;
      refused.add(arrival);
      for (const name of followingOf(arrival)) deleted.add(keyOf(arrival, name));
    }
  }
  return refused;
}

const ENTOMB = `insert into recorded_tombstone (organization_id, hash, deleted_at)
  select n.organization_id, ${hashSql("n.name")}, now() from unnest($1::uuid[], $2::text[]) n (organization_id, name)
    join organization o on o.id = n.organization_id order by 1, 2
  on conflict do nothing`;

/** A job removes what was stored of these sessions before. */
const LIST = `insert into recorded_deletion (organization_id, session_id, deleted_at)
  select n.organization_id, n.id, now() from unnest($1::uuid[], $2::uuid[]) n (organization_id, id)
    join recorded_session s on s.organization_id = n.organization_id and s.session_id = n.id`;

async function bury(client: ClientBase, refused: Iterable<Arrival>, known: ReadonlySet<string>): Promise<void> {
  const names = new Map<string, [organizationId: string, name: string]>();
  const sessions = new Map<string, [organizationId: string, id: string]>();
  for (const arrival of refused) {
    const { organizationId } = arrival;
    for (const name of followingOf(arrival)) names.set(keyOf(arrival, name), [organizationId, name]);
    for (const id of [arrival.session, arrival.provisional]) {
      if (id && !known.has(keyOf(arrival, nameOf("session", id))))
        sessions.set(organizationId + id, [organizationId, id]);
    }
  }
  const unknown = [...names].filter(([key]) => !known.has(key)).map(([, pair]) => pair);
  if (unknown.length > 0) await client.query(ENTOMB, columns(unknown));
  if (sessions.size > 0) await client.query(LIST, columns([...sessions.values()]));
}

const columns = (pairs: readonly [string, string][]): string[][] => [pairs.map(([a]) => a), pairs.map(([, b]) => b)];

/** Fails where an arrival of an organization has the name of a deleted session or user. */
export const nothingDeletedAmong = (organizationId: string, arrivals: Iterable<Arrival>): Statement => ({
  name: "tombstones-none",
  text: `select ${checkSql("nothingDeleted", "count(*) = 0")} from unnest($2::text[]) n (name)
    join organization o on o.id = $1
    join recorded_tombstone t on t.organization_id = $1 and t.hash = ${hashSql("n.name")}`,
  values: [organizationId, [...new Set([...arrivals].flatMap(namesOf))]],
});

/** SQL that fails when one of some sessions was deleted. It holds ids alone, which were checked. */
export function nothingDeleted(sessions: readonly { organization_id: string; session_id: string }[]): string {
  const list = (type: string, values: readonly string[]) => `'{${values.join()}}'::${type}[]`;
  const distinct = new Map(sessions.map((each) => [each.organization_id + each.session_id, each]));
  const organizations = [...distinct.values()].map(({ organization_id }) => organization_id);
  const ids = [...distinct.values()].map(({ session_id }) => session_id);
  return `select ${checkSql("nothingDeleted", "count(*) = 0")}
    from unnest(${list("uuid", organizations)}, ${list("text", ids)}) n (organization_id, id)
    join organization o on o.id = n.organization_id
    join recorded_tombstone t on t.organization_id = n.organization_id and t.hash = ${hashSql(`'${nameOf("session", "")}' || n.id`)}
    where t.organization_id in (${[...new Set(organizations)].map((id) => `'${id}'`).join()})`;
}

/** Reports whether the fast way met a deleted session. */
export const isDeleted = (error: unknown): boolean => hasFailed("nothingDeleted", error);
