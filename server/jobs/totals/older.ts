import { knex } from "../../../db/builder.ts";
import type { Database, Statement } from "../../../db/open.ts";
import { endOf } from "../../resources/recorded/duration.ts";
import { isToolCall, isTurn, told } from "../../resources/recorded/told.ts";
import { eachOrganization } from "../organizations.ts";
import { COUNTS, SUMS, UNREAD } from "./columns.ts";
import { inSlices, lock } from "./slices.ts";

/** Sessions whose events are counted in one transaction: there may be many thousand of each. */
const COUNTED = 20;

/** What is not known of a session, in words that its index has: no usual session stands in there. */
const UNCOUNTED = "events is null";
const ENDLESS = "events > 0 and ended_at is null";

/** Counts sessions that are older than their totals, piece by piece; until then readers count their events. */
export const countOldSessions = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_session", only: UNCOUNTED, followedBy: "session_id" }, (organizationId) =>
    inSlices(db, {
      find: (after) => without(UNCOUNTED, organizationId, after),
      work: async (trx, ids) => {
        const locked = await lock(trx, organizationId, ids, "is null");
        if (locked.length > 0) await trx.query(countAll(organizationId, locked));
      },
    }),
  );

/** Finds when sessions ended that are older than that is kept; until then they are sorted as if they took no time, as one without events does. */
export const findEnds = (db: Database): Promise<number> =>
  eachOrganization(db, { table: "recorded_session", only: ENDLESS, followedBy: "session_id" }, (organizationId) =>
    inSlices(db, {
      find: (after) => without(ENDLESS, organizationId, after),
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

/** The next sessions behind one of which something is not known. */
const without = (what: string, organization_id: string, after: string) =>
  knex("recorded_session")
    .where({ organization_id })
    .where("session_id", ">", after)
    .whereRaw(what)
    .orderBy("session_id")
    .limit(COUNTED)
    .select("session_id as id");

/** What was noted of events that are counted here goes with it: both were committed together, so this sees both. */
const countAll = (organizationId: string, ids: string[]): Statement => {
  const { model, ...measures } = told("e");
  const sums = SUMS.map((name) => `sum(${measures[name]}) as ${name}`);
  return {
    text: `with gone as (delete from recorded_delta where organization_id = $1 and session_id = any($2::uuid[]) returning *),
      counted as (select e.session_id, count(*) as events, count(*) filter (where not e.success) as failures,
          count(*) filter (where ${isTurn("e")}) as turns, count(*) filter (where ${isToolCall("e")}) as tool_calls,
          ${sums.join(", ")}, max(${endOf("e")}) as ended_at
        from recorded_event e where e.organization_id = $1 and e.session_id = any($2::uuid[]) group by e.session_id),
      named as (select session_id, jsonb_object_agg(model, times) as models from (
          select e.session_id, ${model} as model, count(*) as times from recorded_event e
          where e.organization_id = $1 and e.session_id = any($2::uuid[]) group by 1, 2) m
        where model is not null group by session_id)
      update recorded_session s set ${COUNTS.map((name) => `${name} = coalesce(c.${name}, 0)`).join(", ")},
        ${SUMS.map((name) => `${name} = coalesce(c.${name}, 0)`).join(", ")}, models = n.models, ended_at = coalesce(c.ended_at, s.timestamp),
        late_at = $3::timestamptz, unread_from = least(s.unread_from, (select ${UNREAD} from gone g where g.session_id = i.id))
      from unnest($2::uuid[]) i (id) left join counted c on c.session_id = i.id left join named n on n.session_id = i.id
      where s.organization_id = $1 and s.session_id = i.id`,
    values: [organizationId, ids, new Date()],
  };
};
