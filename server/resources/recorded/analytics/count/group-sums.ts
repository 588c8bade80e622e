import type { Database, Transaction } from "../../../../../db/open.ts";
import { tombstoneHashSql, tombstoneName } from "../../deletion/names.ts";
import { QUIET_DAYS } from "../../failures/state.ts";
import { joinAgentSql } from "../../kinds.ts";

/** Number of groups whose sums are computed in a transaction. */
const GROUPS = 100;
/**
 * Raw SQL; docs/database.md gives the reason. Computes the sums of an organization's stale failure groups again.
 * Skips groups that another process has locked. Returns the number of computed groups.
 */
export async function sumStaleGroups(db: Database, organizationId: string): Promise<number> {
  let summed = 0;
  for (let size = GROUPS; size === GROUPS; summed += size) {
    size = await db.transaction(async (trx) => sumSome(trx, organizationId));
  }
  return summed;
}

async function sumSome(trx: Transaction, organizationId: string): Promise<number> {
  const rows: { id: string }[] = await trx.query({
    text: `select group_id as id from recorded_failure_group where organization_id = $1 and stale
      order by group_id limit ${GROUPS} for update skip locked`,
    values: [organizationId],
  });
  const values = [organizationId, rows.map(({ id }) => id)];
  if (rows.length > 0) {
    await trx.query({ text: DROP, values });
    await trx.query({ text: SUM, values });
  }
  return rows.length;
}

/**
 * Deletes the groups among $2 that have no failures. A group with an issue stays, unless the session of the group's
 * last failure was deleted.
 */
const DROP = `delete from recorded_failure_group g where organization_id = $1 and group_id = any($2::uuid[])
  and not exists (select from recorded_failure f where f.organization_id = $1 and f.group_id = g.group_id)
  and (not exists (select from "failureIssue" i where i."organizationId" = $1 and i."groupId" = g.group_id)
    or exists (select from organization o join recorded_tombstone t on t.organization_id = o.id
      and t.hash = ${tombstoneHashSql(`'${tombstoneName("session", "")}' || g.session_id::text`)} where o.id = $1))`;

/**
 * Number of days for which failures per day are stored. Number of a group's newest rows, one per hour and session, from
 * which the list of agents is read.
 */
const DAYS = 30;
const SESSIONS = 50;

/**
 * SQL that joins further values of a failure group, whose sums are in `s`: the last time at which failures returned
 * after a quiet period, the failures per day, and the agents.
 */
const courseOf = (group: string): string => `left join lateral (
    select max(h.first_at) filter (where h.first_at > h.before + interval '${QUIET_DAYS} days') as back_at
    from (select n.first_at, lag(n.last_at) over (order by n.hour) as before
      from (select f.hour, min(f.first_at) as first_at, max(f.last_at) as last_at from recorded_failure f
        where f.organization_id = $1 and f.group_id = ${group} group by f.hour) n) h) b on true
  left join lateral (select jsonb_agg(jsonb_build_array(d.day, d.failures) order by d.day) as days
    from (select to_char(f.hour, 'YYYY-MM-DD') as day, sum(f.failures) as failures from recorded_failure f
      where f.organization_id = $1 and f.group_id = ${group} and f.hour > s.last_at - interval '${DAYS} days'
      group by 1) d) c on true
  left join lateral (select jsonb_agg(distinct n.agent order by n.agent) as agents
    from (select coalesce(r.source, t.agent) as agent
      from (select f.session_id from recorded_failure f where f.organization_id = $1 and f.group_id = ${group}
        order by f.hour desc, f.session_id limit ${SESSIONS}) f
      left join recorded_session r on r.organization_id = $1 and r.session_id = f.session_id
      ${joinAgentSql("$1", "f.session_id", "r.source")}) n where n.agent is not null) a on true`;

/**
 * SQL that joins the sums `s` of a group's failures. `group` is a column with the group's id. The sums are computed
 * separately for each group: without statistics, a planner would join by group and would compute the sums of all groups
 * once per group.
 */
const joinSums = (group: string): string => `left join lateral (select s.*, b.back_at, c.days, a.agents from (
    select sum(f.failures) as failures, count(distinct f.session_id) as sessions, count(distinct r.user_id) as users,
      min(f.first_at) as first_at, max(f.last_at) as last_at,
      (array_agg(f.event_id order by f.last_at desc, f.event_id desc))[1] as event_id,
      (array_agg(f.session_id order by f.last_at desc, f.event_id desc))[1] as session_id
    from recorded_failure f left join recorded_session r on r.organization_id = $1 and r.session_id = f.session_id
    where f.organization_id = $1 and f.group_id = ${group}) s ${courseOf(group)}) s on true`;
const COLUMNS = Object.entries({
  ...{ failures: "coalesce(s.failures, 0)", sessions: "s.sessions", users: "s.users" },
  ...Object.fromEntries(
    ["first_at", "last_at", "event_id", "session_id"].map((name) => [name, `coalesce(s.${name}, g.${name})`]),
  ),
  ...{ back_at: "s.back_at", days: "coalesce(s.days, '[]')", agents: "coalesce(s.agents, '[]')" },
});

const SUM = `update recorded_failure_group g set stale = false, ${COLUMNS.map(([name, sum]) => `${name} = ${sum}`).join(", ")}
  from unnest($2::uuid[]) n (id) ${joinSums("n.id")} where g.organization_id = $1 and g.group_id = n.id`;

/** SQL for the groups among $2 whose stored sums differ from their failures. */
export const GROUP_SUM_DIFFERENCES_SQL = `select g.group_id as id from recorded_failure_group g ${joinSums("g.group_id")}
    where g.organization_id = $1 and g.group_id = any($2::uuid[]) and not g.stale
      and (${COLUMNS.map(([name]) => `g.${name}`).join(", ")}) is distinct from (${COLUMNS.map(([, sum]) => sum).join(", ")})`;

/** Marks the given groups as stale, as new failures do, and then computes the sums of stale groups again. */
export async function recomputeFailureGroupSums(
  db: Database,
  organizationId: string,
  groups: string[],
): Promise<number> {
  const text =
    "update recorded_failure_group set stale = true where organization_id = $1 and group_id = any($2::uuid[])";
  await db.query({ text, values: [organizationId, groups] });
  await sumStaleGroups(db, organizationId);
  return groups.length;
}
