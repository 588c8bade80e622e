import type { Database, Transaction } from "../../../../../db/open.ts";
import { hashSql, nameOf } from "../../deletion/names.ts";
import { QUIET_DAYS } from "../../failures/state.ts";
import { joinAgent } from "../../kinds.ts";

/** Groups whose sums one transaction makes anew. */
const GROUPS = 100;
/**
 * Raw SQL, as docs/database.md says why. Makes the sums of an organization's failure groups anew whose failures were
 * counted again. Another process has those that are locked. Answers how many it made.
 */
export async function sumStale(db: Database, organizationId: string): Promise<number> {
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

/** A group without failures goes, unless there is an issue about it, and its last failure was not deleted. */
const DROP = `delete from recorded_failure_group g where organization_id = $1 and group_id = any($2::uuid[])
  and not exists (select from recorded_failure f where f.organization_id = $1 and f.group_id = g.group_id)
  and (not exists (select from "failureIssue" i where i."organizationId" = $1 and i."groupId" = g.group_id)
    or exists (select from organization o join recorded_tombstone t on t.organization_id = o.id
      and t.hash = ${hashSql(`'${nameOf("session", "")}' || g.session_id::text`)} where o.id = $1))`;

/** Days of a group's course, and sessions whose agents it names. */
const DAYS = 30;
const SESSIONS = 50;

/** SQL of what else follows from a group's failures, the last of which is in `s`: its return, course by the day and agents. */
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
      ${joinAgent("$1", "f.session_id", "r.source")}) n where n.agent is not null) a on true`;

/**
 * SQL that joins the sums `s` over the failures of a group, by a column that names it. Each group's are made apart: joined
 * by their group, a planner without statistics makes those of all groups once for each.
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

/** SQL of which of the groups $2 have other sums than their failures come to. */
export const GROUPS_DIFFER = `select g.group_id as id from recorded_failure_group g ${joinSums("g.group_id")}
    where g.organization_id = $1 and g.group_id = any($2::uuid[]) and not g.stale
      and (${COLUMNS.map(([name]) => `g.${name}`).join(", ")}) is distinct from (${COLUMNS.map(([, sum]) => sum).join(", ")})`;

/** Makes the sums of some groups anew, as when failures came. */
export async function repairGroups(db: Database, organizationId: string, groups: string[]): Promise<number> {
  const text =
    "update recorded_failure_group set stale = true where organization_id = $1 and group_id = any($2::uuid[])";
  await db.query({ text, values: [organizationId, groups] });
  await sumStale(db, organizationId);
  return groups.length;
}
