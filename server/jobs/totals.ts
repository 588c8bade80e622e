import { knex, toStatement } from "../../db/builder.ts";
import { Attempts, sumTogether } from "../../db/errors/parts.ts";
import type { Database, Statement, Transaction } from "../../db/open.ts";
import { NO_ID } from "../id.ts";
import { COUNTS, costCountsOf, endOf, isToolCall, isTurn, measuresOf, SUMS } from "../resources/recorded/kinds.ts";
import { LATE_MS } from "../resources/recorded/outline/events.ts";
import { bySql, type Comparison, type Query } from "./derived/comparison.ts";
import { eachOrganization } from "./organizations.ts";

/** SQL of when the first of noted events began: from there on their session is to be looked through for issues. */
const UNREAD = "min(began_at)";

/** SQL of counts by model, from rows of such counts. */
const modelsOf = (rows: string): string => `(select jsonb_object_agg(m.key, m.times) from (
    select key, sum(value::bigint) as times from (${rows}) all_models cross join lateral jsonb_each_text(models)
    group by key having sum(value::bigint) > 0) m)`;

interface Slices {
  find(after: string): Promise<string[]>;
  work(ids: readonly string[]): Promise<number>;
}

/**
 * Finds sessions behind those that were seen, and works on them in a transaction each time, until there are no more. When a
 * transaction fails, each of its sessions fails alone. Resolves with the number of sessions.
 */
async function inSlices({ find, work }: Slices): Promise<number> {
  const attempts = new Attempts();
  let seen = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const ids = await find(after);
    seen += await attempts.run({}, () => sumTogether(ids, (sessionId) => ({ sessionId }), work));
    after = ids.at(-1);
  }
  attempts.end();
  return seen;
}

/** Locks sessions of which a condition holds, unless another process has them; connectors wait meanwhile. */
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

/** Sessions of one transaction: none of them takes commits of connectors meanwhile. */
const ROLLED_SESSIONS = 100;

/**
 * Adds what commits noted to the totals of their sessions. Readers add what is not yet added, in the same statement, so
 * nothing is seen twice or not at all. In slices, and safe on any number of processes. Answers how many sessions it saw.
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

/** Raw SQL: what is deleted and what it is added to are one statement, which readers see whole or not at all. */
const rollUp = (organizationId: string, ids: string[], now = Date.now()): Statement => ({
  text: `with gone as (delete from recorded_delta where organization_id = $1 and session_id = any($2::uuid[]) returning *),
    added as (select session_id, ${[...COUNTS, ...SUMS].map((name) => `sum(${name}) as ${name}`).join(", ")},
        max(ended_at) as ended_at, ${UNREAD} as unread_from
      from gone group by session_id)
    update recorded_session s set ${[...COUNTS, ...SUMS]
      .map((name) => `${name} = coalesce(s.${name}, 0) + coalesce(a.${name}, 0)`)
      .join(", ")},
      ended_at = greatest(s.ended_at, a.ended_at), unread_from = least(s.unread_from, a.unread_from),
      late_at = greatest(s.late_at, case when a.unread_from < $4::timestamptz then $3::timestamptz end),
      models = ${modelsOf(`select s.models where s.models is not null
        union all select g.models from gone g where g.session_id = s.session_id and g.models is not null`)}
    from added a where s.organization_id = $1 and s.session_id = a.session_id`,
  values: [organizationId, ids, new Date(now), new Date(now - LATE_MS)],
});

/** Sessions of a slice, and events of all but its last: each is counted. */
const COUNTED_SESSIONS = 20;
const EVENTS = 50_000;

/** SQL of sessions whose totals are to be made, in the words of their index: a restore alone puts sessions there. */
const UNMEASURED = "events is null";

const { model, ...told } = measuresOf("e");
const measures = { ...told, ...costCountsOf("e") };
const ALL = [...COUNTS, ...SUMS];
/** Raw SQL, as docs/database.md says why. What the events of the sessions $2 come to: `counted`, and by model `named`. */
const COUNTED = `counted as (select e.session_id, count(*) as events, count(*) filter (where not e.success) as failures,
      count(*) filter (where ${isTurn("e")}) as turns, count(*) filter (where ${isToolCall("e")}) as tool_calls,
      ${SUMS.map((name) => `sum(${measures[name]}) as ${name}`).join(", ")}, max(${endOf("e")}) as ended_at
    from recorded_event e where e.organization_id = $1 and e.session_id = any($2::uuid[]) group by e.session_id),
  named as (select session_id, jsonb_object_agg(model, times) as models from (
      select e.session_id, ${model} as model, count(*) as times from recorded_event e
      where e.organization_id = $1 and e.session_id = any($2::uuid[]) group by 1, 2) m
    where model is not null group by session_id)`;

const list = (one: (name: string) => string): string => ALL.map(one).join(", ");

/** Notes of commits that are not added yet count as added: an event and its note are committed together. */
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

/** Notes of the events that are counted here go: an event and its note were committed together, so this sees both. */
const COUNT = `with gone as (delete from recorded_delta where organization_id = $1 and session_id = any($2::uuid[]) returning *),
  ${COUNTED}
  update recorded_session s set ${list((name) => `${name} = coalesce(c.${name}, 0)`)},
    models = n.models, ended_at = coalesce(c.ended_at, s.timestamp),
    late_at = $3::timestamptz, unread_from = least(s.unread_from, (select ${UNREAD} from gone g where g.session_id = i.id))
  from unnest($2::uuid[]) i (id) left join counted c on c.session_id = i.id left join named n on n.session_id = i.id
  where s.organization_id = $1 and s.session_id = i.id`;

/** The next sessions whose events are few enough for one statement. */
const nextSessions = (only: string) => `select id from (
    select session_id as id, sum(coalesce(events, 0)) over (order by session_id) - coalesce(events, 0) as before from (
      select session_id, events from recorded_session where organization_id = $1 and session_id > $2 and ${only}
      order by session_id limit ${COUNTED_SESSIONS}) s) n
  where before < ${EVENTS} order by id`;

async function next(query: Query, organizationId: string, after: string, only = "true"): Promise<string[]> {
  const rows: { id: string }[] = await query({ text: nextSessions(only), values: [organizationId, after] });
  return rows.map(({ id }) => id);
}

/** The totals of sessions, compared with their events. Connectors wait while they are made anew; what another process has is left to it. */
export const sessionTotals: Comparison = {
  value: "totals of a session",
  next,
  differing: bySql(DIFFERS),
  repair: ({ db }, organizationId, keys) =>
    db.transaction(async (trx) => {
      const locked = await lock(trx, organizationId, keys);
      return count(trx, organizationId, await sessionTotals.differing(trx.query, organizationId, locked));
    }),
};

async function count(trx: Transaction, organizationId: string, keys: string[]): Promise<number> {
  if (keys.length > 0) await trx.query({ text: COUNT, values: [organizationId, keys, new Date()] });
  return keys.length;
}

/** Makes the totals of restored sessions, piece by piece; until then readers count their events. */
export const countUnmeasured = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_session", only: UNMEASURED, followedBy: "session_id" }, (id) =>
    inSlices({
      find: (after) => next(db.query, id, after, UNMEASURED),
      work: (ids) => db.transaction(async (trx) => count(trx, id, await lock(trx, id, ids, UNMEASURED))),
    }),
  );
