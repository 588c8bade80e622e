import { knex } from "../../../db/builder.ts";
import type { Database, Statement } from "../../../db/open.ts";
import { COUNTS, SUMS } from "../../resources/recorded/kinds.ts";
import { LATE_MS } from "../../resources/recorded/outline/events.ts";
import { eachOrganization } from "../organizations.ts";
import { modelsOf, UNREAD } from "./columns.ts";
import { inSlices, lock } from "./slices.ts";

/** Sessions of one transaction: none of them takes commits of connectors meanwhile. */
const SESSIONS = 100;

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
        const locked = await lock(trx, organizationId, ids, "events is not null");
        if (locked.length > 0) await trx.query(rollUp(organizationId, locked));
      },
    }),
  );

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
