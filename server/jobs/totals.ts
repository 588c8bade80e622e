import { knex, toStatement } from "../../db/builder.ts";
import { PartRunner, runBatchBisectingFailures } from "../../db/errors/parts.ts";
import type { Database, Statement, Transaction } from "../../db/open.ts";
import { NO_ID } from "../id.ts";
import {
  costCountsSql,
  EVENT_COUNT_COLUMNS,
  eventEndSql,
  isToolCallSql,
  isTurnSql,
  measuresSql,
  SESSION_SUM_COLUMNS,
} from "../resources/recorded/kinds.ts";
import { LATE_MS } from "../resources/recorded/outline/events.ts";
import { createDifferenceQuery, type DerivedValueComparison, type Query } from "./derived/comparison.ts";
import { eachOrganization } from "./organizations.ts";

/**
 * SQL for the start of the earliest event in the deltas. From that time on, a job must read the session for mentions of
 * issues.
 */
const UNREAD = "min(began_at)";

/** SQL for the sum of counts by model. */
const modelsOf = (rows: string): string => `(select jsonb_object_agg(m.key, m.times) from (
    select key, sum(value::bigint) as times from (${rows}) all_models cross join lateral jsonb_each_text(models)
    group by key having sum(value::bigint) > 0) m)`;

interface Slices {
  find(after: string): Promise<string[]>;
  work(ids: readonly string[]): Promise<number>;
}

/**
 * Finds and processes sessions in slices, until no session is left. Each slice is one transaction. If a transaction
 * fails, processes each of its sessions separately. Resolves with the number of sessions.
 */
async function inSlices({ find, work }: Slices): Promise<number> {
  const attempts = new PartRunner();
  let seen = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const ids = await find(after);
    seen += await attempts.run({}, () => runBatchBisectingFailures(ids, (sessionId) => ({ sessionId }), work));
    after = ids.at(-1);
  }
  attempts.end();
  return seen;
}

/**
 * Locks the sessions that match a condition, except sessions that another process has locked. Connectors wait in the
 * meantime.
 */
async function lock(
  trx: Transaction,
  organizationId: string,
  ids: readonly string[],
  only = "true",
): Promise<string[]> {
  const rows = await trx.query<{ id: string }>({
    text: `select session_id as id from recorded_session
      where organization_id = $1 and session_id = any($2::uuid[]) and ${only}
      order by session_id for update skip locked`,
    values: [organizationId, ids],
  });
  return rows.map(({ id }) => id);
}

/** Number of sessions per transaction. Until the transaction ends, connectors cannot store reports of these sessions. */
const ROLLED_SESSIONS = 100;

/**
 * Adds the deltas of commits to the totals of their sessions. Readers add the remaining deltas in the same statement,
 * so that nothing is counted twice or left out. Works in slices, and is safe in any number of concurrent processes.
 * Returns the number of processed sessions.
 */
export const rollUpTotals = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_delta" }, (organizationId) =>
    inSlices({
      find: (after) => notedSessions(db, organizationId, after),
      work: (ids) =>
        db.transaction(async (trx) => {
          const locked = await lock(trx, organizationId, ids, "events is not null");
          if (locked.length > 0) await trx.query(rollUp(organizationId, locked));
          return ids.length;
        }),
    }),
  );

async function notedSessions(db: Database, organizationId: string, after: string): Promise<string[]> {
  const noted = knex("recorded_delta").where("organization_id", organizationId).where("session_id", ">", after);
  const page = noted.groupBy("session_id").orderBy("session_id").limit(ROLLED_SESSIONS).select("session_id as id");
  const found: { id: string }[] = await db.query(toStatement(page));
  return found.map(({ id }) => id);
}

/**
 * Raw SQL: one statement deletes the deltas and adds the deltas to the totals. Readers therefore see both changes or
 * neither.
 */
const rollUp = (organizationId: string, ids: string[], now = Date.now()): Statement => ({
  text: `with gone as (delete from recorded_delta where organization_id = $1 and session_id = any($2::uuid[]) returning *),
    added as (select session_id, ${[...EVENT_COUNT_COLUMNS, ...SESSION_SUM_COLUMNS].map((name) => `sum(${name}) as ${name}`).join(", ")},
        max(ended_at) as ended_at, ${UNREAD} as unread_from
      from gone group by session_id)
    update recorded_session s set ${[...EVENT_COUNT_COLUMNS, ...SESSION_SUM_COLUMNS]
      .map((name) => `${name} = coalesce(s.${name}, 0) + coalesce(a.${name}, 0)`)
      .join(", ")},
      ended_at = greatest(s.ended_at, a.ended_at), unread_from = least(s.unread_from, a.unread_from),
      late_at = greatest(s.late_at, case when a.unread_from < $4::timestamptz then $3::timestamptz end),
      models = ${modelsOf(`select s.models where s.models is not null
        union all select g.models from gone g where g.session_id = s.session_id and g.models is not null`)}
    from added a where s.organization_id = $1 and s.session_id = a.session_id`,
  values: [organizationId, ids, new Date(now), new Date(now - LATE_MS)],
});

/**
 * Limits of a slice: COUNTED_SESSIONS is the maximum number of sessions. The events of all sessions before the last
 * session must be fewer than EVENTS, because every event is counted.
 */
const COUNTED_SESSIONS = 20;
const EVENTS = 50_000;

/**
 * SQL for sessions without totals, exactly as in the index of these rows. Only a restore creates sessions without
 * totals.
 */
const UNMEASURED = "events is null";

const { model, ...told } = measuresSql("e");
const measures = { ...told, ...costCountsSql("e") };
const ALL = [...EVENT_COUNT_COLUMNS, ...SESSION_SUM_COLUMNS];
/**
 * Raw SQL; docs/database.md explains why. Sums the events of the sessions $2: `counted` per session, and `named` per
 * session and model.
 */
const COUNTED = `counted as (select e.session_id, count(*) as events, count(*) filter (where not e.success) as failures,
      count(*) filter (where ${isTurnSql("e")}) as turns, count(*) filter (where ${isToolCallSql("e")}) as tool_calls,
      ${SESSION_SUM_COLUMNS.map((name) => `sum(${measures[name]}) as ${name}`).join(", ")}, max(${eventEndSql("e")}) as ended_at
    from recorded_event e where e.organization_id = $1 and e.session_id = any($2::uuid[]) group by e.session_id),
  named as (select session_id, jsonb_object_agg(model, times) as models from (
      select e.session_id, ${model} as model, count(*) as times from recorded_event e
      where e.organization_id = $1 and e.session_id = any($2::uuid[]) group by 1, 2) m
    where model is not null group by session_id)`;

const list = (one: (name: string) => string): string => ALL.map(one).join(", ");

/**
 * Selects the sessions whose totals differ from their events. Deltas that are not rolled up yet count as part of the
 * totals, because an event and its delta are committed together.
 */
const DIFFERS = `with ${COUNTED},
  noted as (select session_id, ${list((name) => `sum(${name}) as ${name}`)}, max(ended_at) as ended_at
    from recorded_delta where organization_id = $1 and session_id = any($2::uuid[]) group by session_id)
  select s.session_id as id from recorded_session s left join counted c on c.session_id = s.session_id
    left join noted d on d.session_id = s.session_id left join named n on n.session_id = s.session_id
  where s.organization_id = $1 and s.session_id = any($2::uuid[]) and not s.${UNMEASURED} and (
    (${list((name) => `coalesce(s.${name}, 0) + coalesce(d.${name}, 0)`)}) is distinct from (${list((name) => `coalesce(c.${name}, 0)`)})
    or coalesce(greatest(s.ended_at, d.ended_at), '-infinity') < c.ended_at
    or ${modelsOf(`select s.models where s.models is not null union all
        select g.models from recorded_delta g where g.organization_id = $1 and g.session_id = s.session_id and g.models is not null`)}
      is distinct from n.models)`;

/**
 * Deletes the deltas of the counted events. An event and the event's delta were committed together, and the statement
 * sees both.
 */
const COUNT = `with gone as (delete from recorded_delta where organization_id = $1 and session_id = any($2::uuid[]) returning *),
  ${COUNTED}
  update recorded_session s set ${list((name) => `${name} = coalesce(c.${name}, 0)`)},
    models = n.models, ended_at = coalesce(c.ended_at, s.timestamp),
    late_at = $3::timestamptz, unread_from = least(s.unread_from, (select ${UNREAD} from gone g where g.session_id = i.id))
  from unnest($2::uuid[]) i (id) left join counted c on c.session_id = i.id left join named n on n.session_id = i.id
  where s.organization_id = $1 and s.session_id = i.id`;

/** Returns the next sessions, as many as one statement can count. */
const nextSessions = (only: string) => `select id from (
    select session_id as id, sum(coalesce(events, 0)) over (order by session_id) - coalesce(events, 0) as before from (
      select session_id, events from recorded_session where organization_id = $1 and session_id > $2 and ${only}
      order by session_id limit ${COUNTED_SESSIONS}) s) n
  where before < ${EVENTS} order by id`;

async function next(query: Query, organizationId: string, after: string, only = "true"): Promise<string[]> {
  const rows: { id: string }[] = await query({ text: nextSessions(only), values: [organizationId, after] });
  return rows.map(({ id }) => id);
}

/**
 * Compares the totals of each session with the session's events. Connectors wait while totals are recomputed. Sessions
 * that another process has locked are left to that process.
 */
export const sessionTotalsComparison: DerivedValueComparison = {
  value: "totals of a session",
  next,
  differing: createDifferenceQuery(DIFFERS),
  repair: ({ db }, organizationId, keys) =>
    db.transaction(async (trx) => {
      const locked = await lock(trx, organizationId, keys);
      return count(trx, organizationId, await sessionTotalsComparison.differing(trx.query, organizationId, locked));
    }),
};

async function count(trx: Transaction, organizationId: string, keys: string[]): Promise<number> {
  if (keys.length > 0) await trx.query({ text: COUNT, values: [organizationId, keys, new Date()] });
  return keys.length;
}

/**
 * Computes the totals of restored sessions, slice by slice. Until the totals exist, readers count the events of the
 * sessions.
 */
export const computeMissingSessionTotals = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_session", only: UNMEASURED, followedBy: "session_id" }, (id) =>
    inSlices({
      find: (after) => next(db.query, id, after, UNMEASURED),
      work: (ids) => db.transaction(async (trx) => count(trx, id, await lock(trx, id, ids, UNMEASURED))),
    }),
  );
