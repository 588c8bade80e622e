import type { ClientBase } from "pg";
import { buildCheckSql, hasFailedCheck } from "../../db/checks.ts";
import type { Statement } from "../../db/open.ts";
import { type RecordingNameKind, tombstoneHashSql, tombstoneName } from "../resources/recorded/deletion/names.ts";

/** Ids of a session, a trace and a user in an arriving record. The ids show to which recording the record belongs. */
export interface RecordingNames {
  organizationId: string;
  session?: string | undefined;
  trace?: string | undefined;
  /** Session that stands for the trace until a record names the real session. */
  provisional?: string | undefined;
  user?: string | undefined;
}

/** Reason that the server reports when it rejects a record of a deleted session or user. */
export const DELETED_REASON = "belongs to a session or user that was deleted";

/** Raw SQL, like all statements here: names are passed as one list. Finds the names that have a tombstone. */
const FIND = `select n.organization_id as "organizationId", n.name from unnest($1::uuid[], $2::text[]) n (organization_id, name)
  join organization o on o.id = n.organization_id
  join recorded_tombstone t on t.organization_id = n.organization_id and t.hash = ${tombstoneHashSql("n.name")}`;

/**
 * Returns the arriving records that belong to a deleted session or user and must not be stored. Call under the
 * organization's shared lock (`organizationLockKey`), so that no deletion happens before the commit. The session and
 * the trace of a rejected record get tombstones too. From then on, the server rejects a deleted user's session even if
 * an event does not name the user.
 */
export async function findDeletedRecordingNames(
  client: ClientBase,
  arrivals: readonly RecordingNames[],
): Promise<Set<RecordingNames>> {
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

type Named = readonly (readonly [RecordingNameKind, string | undefined])[];

const spelled = (names: Named): string[] =>
  names.flatMap(([kind, id]) => (id === undefined ? [] : [tombstoneName(kind, id)]));

const traceOf = ({ trace, provisional }: RecordingNames): Named => [
  ["trace", trace],
  ["session", provisional],
];

/**
 * Returns the names by which an arriving record is compared with the tombstones. Several sessions may share a trace, so
 * the trace counts only if no session is named.
 */
const namesOf = (arrival: RecordingNames): string[] =>
  spelled([
    ...(arrival.session === undefined ? traceOf(arrival) : ([["session", arrival.session]] as const)),
    ["user", arrival.user],
  ]);

/** Returns the names that get tombstones when an arriving record is rejected. The user of a session is not included. */
const followingOf = (arrival: RecordingNames): string[] => spelled([["session", arrival.session], ...traceOf(arrival)]);

/** Returns the arriving records that have a deleted name, and the records that share a name with a rejected record. */
function spread(arrivals: readonly RecordingNames[], deleted: Set<string>): Set<RecordingNames> {
  const refused = new Set<RecordingNames>();
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
  select n.organization_id, ${tombstoneHashSql("n.name")}, now() from unnest($1::uuid[], $2::text[]) n (organization_id, name)
    join organization o on o.id = n.organization_id order by 1, 2
  on conflict do nothing`;

/** Adds the sessions to `recorded_deletion`. A job then deletes the stored rows of these sessions. */
const LIST = `insert into recorded_deletion (organization_id, session_id, deleted_at)
  select n.organization_id, n.id, now() from unnest($1::uuid[], $2::uuid[]) n (organization_id, id)
    join recorded_session s on s.organization_id = n.organization_id and s.session_id = n.id`;

async function bury(client: ClientBase, refused: Iterable<RecordingNames>, known: ReadonlySet<string>): Promise<void> {
  const names = new Map<string, [organizationId: string, name: string]>();
  const sessions = new Map<string, [organizationId: string, id: string]>();
  for (const arrival of refused) {
    const { organizationId } = arrival;
    for (const name of followingOf(arrival)) names.set(keyOf(arrival, name), [organizationId, name]);
    for (const id of [arrival.session, arrival.provisional]) {
      if (id && !known.has(keyOf(arrival, tombstoneName("session", id))))
        sessions.set(organizationId + id, [organizationId, id]);
    }
  }
  const unknown = [...names].filter(([key]) => !known.has(key)).map(([, pair]) => pair);
  if (unknown.length > 0) await client.query(ENTOMB, columns(unknown));
  if (sessions.size > 0) await client.query(LIST, columns([...sessions.values()]));
}

const columns = (pairs: readonly [string, string][]): string[][] => [pairs.map(([a]) => a), pairs.map(([, b]) => b)];

/** Returns a statement that fails if an arrival of the organization has the name of a deleted session or user. */
export const assertNoTombstoneStatement = (organizationId: string, arrivals: Iterable<RecordingNames>): Statement => ({
  name: "tombstones-none",
  text: `select ${buildCheckSql("nothingDeleted", "count(*) = 0")} from unnest($2::text[]) n (name)
    join organization o on o.id = $1
    join recorded_tombstone t on t.organization_id = $1 and t.hash = ${tombstoneHashSql("n.name")}`,
  values: [organizationId, [...new Set([...arrivals].flatMap(namesOf))]],
});

/** Returns SQL that fails if one of the sessions was deleted. The SQL contains only validated ids. */
export function assertNoDeletedSessionSql(
  sessions: readonly { organization_id: string; session_id: string }[],
): string {
  const list = (type: string, values: readonly string[]) => `'{${values.join()}}'::${type}[]`;
  const distinct = new Map(sessions.map((each) => [each.organization_id + each.session_id, each]));
  const organizations = [...distinct.values()].map(({ organization_id }) => organization_id);
  const ids = [...distinct.values()].map(({ session_id }) => session_id);
  return `select ${buildCheckSql("nothingDeleted", "count(*) = 0")}
    from unnest(${list("uuid", organizations)}, ${list("text", ids)}) n (organization_id, id)
    join organization o on o.id = n.organization_id
    join recorded_tombstone t on t.organization_id = n.organization_id and t.hash = ${tombstoneHashSql(`'${tombstoneName("session", "")}' || n.id`)}
    where t.organization_id in (${[...new Set(organizations)].map((id) => `'${id}'`).join()})`;
}

/** Returns true if the error means that the fast path found a deleted session. */
export const isDeletedSessionError = (error: unknown): boolean => hasFailedCheck("nothingDeleted", error);
