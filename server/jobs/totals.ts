import { knex, toStatement } from "../../db/builder.ts";
import type { Database, Statement, Transaction } from "../../db/open.ts";
import { endOf } from "../resources/recorded/duration.ts";
import { isToolCall, isTurn, told } from "../resources/recorded/told.ts";
import { eachOrganization, NO_ID } from "./organizations.ts";

/** Sessions of one transaction: none of them takes commits of connectors meanwhile. */
const SESSIONS = 100;
/** Sessions whose events are counted in one transaction: there may be many thousand of each. */
const COUNTED = 20;

/**
 * Adds what commits noted to the totals of their sessions. Readers add what is not yet added, in the same statement, so
 * nothing is seen twice or not at all. In slices, and safe on any number of processes. Answers how many sessions it saw.
 */
export const rollUpTotals = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_delta" }, (organizationId) =>
    inSlices(db, {
      find: (after) =>
        knex("recorded_delta")
          .where("organization_id", organizationId)
          .where("session_id", ">", after)
          .groupBy("session_id")
          .orderBy("session_id")
          .limit(SESSIONS)
          .select("session_id as id"),
      work: async (trx, ids) => {
        const locked = await lock(trx, organizationId, ids, "is not null");
        if (locked.length > 0) await trx.query(rollUp(organizationId, locked));
      },
    }),
  );

/** Counts sessions that are older than their totals, piece by piece; until then readers count their events. */
export const countOldSessions = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_session" }, (organizationId) =>
    inSlices(db, {
      find: (after) =>
        knex("recorded_session")
          .where("organization_id", organizationId)
          .where("session_id", ">", after)
          .whereNull("events")
          .orderBy("session_id")
          .limit(COUNTED)
          .select("session_id as id"),
      work: async (trx, ids) => {
        const locked = await lock(trx, organizationId, ids, "is null");
        if (locked.length > 0) await trx.query(countAll(organizationId, locked));
      },
    }),
  );

/** Finds when sessions ended that are older than that is kept; until then they are sorted as if they took no time. */
export const findEnds = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_session", tenant: "organization_id" }, (organizationId) =>
    inSlices(db, {
      find: (after) =>
        knex("recorded_session")
          .where("organization_id", organizationId)
          .where("session_id", ">", after)
          .whereNull("ended_at")
          .orderBy("session_id")
          .limit(COUNTED)
          .select("session_id as id"),
      work: async (trx, ids) => {
        await trx.query({
          text: `update recorded_session s set ended_at = greatest(s.ended_at, coalesce((select max(${endOf("e")})
              from recorded_event e where e.organization_id = $1 and e.session_id = s.session_id), s.timestamp))
            from (select session_id from recorded_session where organization_id = $1 and session_id = any($2::uuid[])
              order by session_id for update skip locked) n
            where s.organization_id = $1 and s.session_id = n.session_id`,
          values: [organizationId, ids],
        });
      },
    }),
  );

interface Slices {
  find(after: string): ReturnType<typeof knex>;
  work(trx: Transaction, ids: string[]): Promise<void>;
}

async function inSlices(db: Database, { find, work }: Slices): Promise<number> {
  let seen = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const found: { id: string }[] = await db.query(toStatement(find(after)));
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) await db.transaction((trx) => work(trx, ids));
    seen += ids.length;
    after = ids.at(-1);
  }
  return seen;
}

/** Locks sessions whose totals are kept, or are not, unless another process has them; connectors wait meanwhile. */
async function lock(trx: Transaction, organizationId: string, ids: string[], kept: string): Promise<string[]> {
  const rows = await trx.query<{ id: string }>({
    text: `select session_id as id from recorded_session
      where organization_id = $1 and session_id = any($2::uuid[]) and events ${kept}
      order by session_id for update skip locked`,
    values: [organizationId, ids],
  });
  return rows.map(({ id }) => id);
}

const SUMS = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cost"] as const;
const COUNTS = ["events", "failures", "turns", "tool_calls"] as const;

/** SQL of counts by model, from rows of such counts and of single models. */
const modelsOf = (rows: string) => `(select jsonb_object_agg(m.key, m.times) from (
    select key, sum(value::bigint) as times from (${rows}) all_models cross join lateral jsonb_each_text(models)
    group by key having sum(value::bigint) > 0) m)`;

/** Raw SQL: what is deleted and what it is added to are one statement, which readers see whole or not at all. */
const rollUp = (organizationId: string, ids: string[]): Statement => ({
  text: `with gone as (delete from recorded_delta where organization_id = $1 and session_id = any($2::uuid[]) returning *),
    added as (select session_id, ${[...COUNTS, ...SUMS].map((name) => `sum(${name}) as ${name}`).join(", ")},
        max(ended_at) as ended_at
      from gone group by session_id)
    update recorded_session s set ${[...COUNTS, ...SUMS]
      .map((name) => `${name} = coalesce(s.${name}, 0) + coalesce(a.${name}, 0)`)
      .join(", ")},
      ended_at = greatest(s.ended_at, a.ended_at),
      models = ${modelsOf(`select s.models where s.models is not null
        union all select g.models from gone g where g.session_id = s.session_id and g.models is not null`)}
    from added a where s.organization_id = $1 and s.session_id = a.session_id`,
  values: [organizationId, ids],
});

/** What was noted of events that are counted here goes with it: both were committed together, so this sees both. */
const countAll = (organizationId: string, ids: string[]): Statement => {
  const { model, ...measures } = told("e");
  const sums = SUMS.map((name) => `sum(${measures[name]}) as ${name}`);
  return {
    text: `with gone as (delete from recorded_delta where organization_id = $1 and session_id = any($2::uuid[])),
      counted as (select e.session_id, count(*) as events, count(*) filter (where not e.success) as failures,
          count(*) filter (where ${isTurn("e")}) as turns, count(*) filter (where ${isToolCall("e")}) as tool_calls,
          ${sums.join(", ")}, max(${endOf("e")}) as ended_at
        from recorded_event e where e.organization_id = $1 and e.session_id = any($2::uuid[]) group by e.session_id),
      named as (select session_id, jsonb_object_agg(model, times) as models from (
          select e.session_id, ${model} as model, count(*) as times from recorded_event e
          where e.organization_id = $1 and e.session_id = any($2::uuid[]) group by 1, 2) m
        where model is not null group by session_id)
      update recorded_session s set ${COUNTS.map((name) => `${name} = coalesce(c.${name}, 0)`).join(", ")},
        ${SUMS.map((name) => `${name} = coalesce(c.${name}, 0)`).join(", ")}, models = n.models, ended_at = coalesce(c.ended_at, s.timestamp)
      from unnest($2::uuid[]) i (id) left join counted c on c.session_id = i.id left join named n on n.session_id = i.id
      where s.organization_id = $1 and s.session_id = i.id`,
    values: [organizationId, ids],
  };
};
