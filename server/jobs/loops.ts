import { PartRunner, runBatchBisectingFailures, runSteps } from "../../db/errors/parts.ts";
import type { Database } from "../../db/open.ts";
import { NO_ID } from "../id.ts";
import { comparedResultSql } from "../resources/recorded/compared-result.ts";
import { limitSql } from "../resources/recorded/computed-row.ts";
import { isToolCallSql, isTurnSql } from "../resources/recorded/kinds.ts";
import { eachOrganization } from "./organizations.ts";

/**
 * Finished tool call. Two calls have equal `content` if tool, input and result are equal. Lists of calls are sorted
 * newest first.
 */
export interface FinishedToolCall {
  id: string;
  /** ISO 8601. */
  at: string;
  content: string;
}

/** Start time of a loop, and its last call. */
interface Loop {
  since: string;
  last: string;
}

/** Number of repeats that make a loop: of one call, of a cycle of two calls, and of a cycle of three. */
const TIMES = [5, 4, 4] as const;

/** Number of calls to examine. */
const CALLS = Math.max(...TIMES.map((times, index) => times * (index + 1)));
/** Minimum number of times that the newest call of a loop is among the examined calls. */
const LEAST = Math.min(...TIMES);

/**
 * Returns the loop at the end of the calls, if there is one: a single call, or a cycle of two or three calls, repeated
 * with the same input and result. A call with a different result each time is polling, not a loop.
 */
export function findLoop(calls: readonly FinishedToolCall[]): Loop | undefined {
  for (const [index, times] of TIMES.entries()) {
    const period = index + 1;
    const some = calls.slice(0, period * times);
    const first = some.at(-1);
    if (!first || !some[0] || some.length < period * times) continue;
    if (some.every((call, at) => at < period || call.content === some[at - period]?.content))
      return { since: first.at, last: some[0].id };
  }
  return undefined;
}

/** Maximum sessions per query: SESSIONS if the query reads calls, LIVE if the query finds sessions. */
const SESSIONS = 100;
const LIVE = 5_000;
/** Number of a session's last events that are searched for its last calls. */
const EVENTS = 60;

interface Session {
  id: string;
  /** Known start of the loop; null if no loop was known. */
  since: string | null;
  calls: FinishedToolCall[];
}

/**
 * Raw SQL, like all statements here; docs/database.md explains why. Finds the sessions of organization $1 with an id
 * after $2 that have an open event, or for which capture-* requests arrived just now. The tables `recorded_open` and
 * `recorded_delta` are small and are read once for many sessions.
 */
const FIND = `select session_id as id from (
    select o.session_id from recorded_open o where o.organization_id = $1 and o.session_id > $2
    union select d.session_id from recorded_delta d where d.organization_id = $1 and d.session_id > $2) n
  order by session_id limit ${LIVE}`;

/**
 * Reads the last calls of each session in $2, newest first, since the user's last prompt. Texts are compared by hash,
 * and only if the newest call was repeated often enough: most sessions need no hash, and their results are not read.
 */
const LAST = `select s.session_id as id, to_json(s.loop_since) #>> '{}' as since, c.calls
  from unnest($2::uuid[]) n (session_id) join recorded_session s on s.organization_id = $1 and s.session_id = n.session_id
  left join lateral (
    with last as materialized (
      select e.event_id, e.timestamp, ${isTurnSql("e")} as turn, ${isToolCallSql("e")} and e.open is not true as ended,
        e.primitive_name, e.args
      from recorded_event e where e.organization_id = $1 and e.session_id = s.session_id
      order by e.timestamp desc, e.event_id desc ${limitSql(EVENTS)}),
    calls as materialized (select l.event_id, l.timestamp, l.primitive_name, l.args from last l where l.ended
        and l.timestamp > coalesce((select max(t.timestamp) from last t where t.turn and t.timestamp < (select max(timestamp) from last)), '-infinity')
      order by l.timestamp desc, l.event_id desc limit ${CALLS}),
    newest as materialized (select primitive_name, args from calls order by timestamp desc, event_id desc limit 1)
    select json_agg(json_build_object('id', t.event_id, 'at', t.timestamp, 'content',
        md5(t.primitive_name || ' ' || length(t.args) || ' ' || t.args || ${comparedResultSql("t")})) order by t.timestamp desc, t.event_id desc) as calls
    from calls k join recorded_event t on t.organization_id = $1 and t.event_id = k.event_id
    where (select count(*) from calls o join newest n using (primitive_name, args)) >= ${LEAST}) c on true`;

/**
 * Stores the start ($3) and the last call ($4) of a loop for each session in $2. A null start means that the session is
 * not in a loop. A session without a current turn is not in a loop.
 */
const NOTE = `update recorded_session s set loop_since = n.since, loop_event = n.last,
    last_received_at = greatest(s.last_received_at, case when s.observed is null then $5::timestamptz end)
  from unnest($2::uuid[], $3::timestamptz[], $4::uuid[]) n (id, since, last)
  where s.organization_id = $1 and s.session_id = n.id and (s.observed is null or s.state = 'working')
    and (s.loop_since, s.loop_event) is distinct from (n.since, n.last)
  returning s.session_id as id`;

/**
 * Finds sessions whose last calls repeat each other, and sessions that stopped looping. Pauses between slices. Safe in
 * any number of concurrent processes. Notifies everyone who follows the sessions. Returns the number of changed
 * sessions.
 */
export async function updateLoopingSessions(db: Database, rest = async () => {}): Promise<number> {
  const seen = new Set<string>();
  const findOnce = async (organizationId: string) => {
    if (seen.has(organizationId)) return 0;
    seen.add(organizationId);
    return findIn(db, organizationId, rest);
  };
  return runSteps(
    ...["recorded_open", "recorded_delta"].map((table) => () => eachOrganization(db, { table }, findOnce)),
  );
}

async function findIn(db: Database, organizationId: string, rest: () => Promise<void>): Promise<number> {
  const attempts = new PartRunner();
  let changed = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const live: { id: string }[] = await db.query({ text: FIND, values: [organizationId, after] });
    for (let from = 0; from < live.length; from += SESSIONS) {
      const ids = live.slice(from, from + SESSIONS).map(({ id }) => id);
      changed += await attempts.run({}, () =>
        runBatchBisectingFailures(
          ids,
          (sessionId) => ({ sessionId }),
          (some) => findAmong(db, organizationId, some),
        ),
      );
      if (ids.length === SESSIONS) await rest();
    }
    after = live.length === LIVE ? live.at(-1)?.id : undefined;
  }
  attempts.end();
  return changed;
}

async function findAmong(db: Database, organizationId: string, ids: readonly string[]): Promise<number> {
  const sessions: Session[] = await db.query({ text: LAST, values: [organizationId, ids] });
  return note(db, organizationId, sessions.flatMap(changeOf));
}

interface Change {
  id: string;
  since: string | null;
  last: string | null;
}

function changeOf({ id, since, calls }: Session): Change[] {
  const loop = findLoop(calls ?? []);
  if (loop) return [{ id, since: since ?? loop.since, last: loop.last }];
  return since === null ? [] : [{ id, since: null, last: null }];
}

async function note(db: Database, organizationId: string, found: readonly Change[]): Promise<number> {
  if (found.length === 0) return 0;
  const lists = (["id", "since", "last"] as const).map((name) => found.map((each) => each[name]));
  const changed = await db.query<{ id: string }>({ text: NOTE, values: [organizationId, ...lists, new Date()] });
  for (const { id } of changed) db.wake.touch(organizationId, id);
  return changed.length;
}
