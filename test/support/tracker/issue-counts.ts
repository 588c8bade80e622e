import type { Database } from "../../../db/open.ts";

type Db = Pick<Database, "query">;

/** SQL condition for whether an issue `i` counts for progress, written independently of the server's code. */
const SHOWN = `i."archivedAt" is null and coalesce(i.trashed, false) = false and i."stateType" <> all(array['canceled', 'duplicate'])`;

/**
 * Lists the stored counts of an organization that differ from the counts of its issues, with SQL that is independent
 * of the server's code.
 */
export const findWrongCounts = (db: Db, organizationId: string): Promise<Record<string, unknown>[]> =>
  db.query({
    text: `
    with part as (
      select i."organizationId", k.kind, k.id, k.team, i."stateType", ${SHOWN} as shown
        from issue i
        cross join lateral (values ('team', i."teamId", i."teamId"), ('project', i."projectId", i."teamId"), ('cycle', i."cycleId", i."teamId"),
          ('creator', i."creatorId", '00000000-0000-0000-0000-000000000000')) k (kind, id, team)
       where i."organizationId" = $1 and k.id is not null),
    made as (
      select "organizationId", kind, id, team, count(*) as issues, sum(shown::integer) as shown,
          sum((shown and "stateType" = 'completed')::integer) as completed
        from part group by 1, 2, 3, 4),
    kept as (select "organizationId", kind, id, "teamId" as team, issues, shown, completed
        from "issueCount" where "organizationId" = $1)
    select 'kept' as which, * from (table kept except all table made) k
    union all select 'real', * from (table made except all table kept) m limit 10`,
    values: [organizationId],
  });

/** Computes the counts and the progress that each row of an organization should have, by the row's id. */
export async function computeCounts(db: Db, organizationId: string): Promise<Map<string, number>> {
  const count = (table: string, by: string) =>
    `select r.id, (select count(*)::float from issue i where i."organizationId" = $1 and i."${by}" = r.id) as value
       from "${table}" r where r."organizationId" = $1`;
  const progress = (table: string, by: string) =>
    `select r.id, coalesce(round((select avg((i."stateType" = 'completed')::integer)
         from issue i join team t on t."organizationId" = $1 and t.id = i."teamId" and t."archivedAt" is null
        where i."organizationId" = $1 and i."${by}" = r.id and ${SHOWN}), 4), 0)::float as value
       from "${table}" r where r."organizationId" = $1`;
  const open = `select $1::uuid as id, (select count(*)::float from issue i
      join team t on t."organizationId" = $1 and t.id = i."teamId" and t."archivedAt" is null
     where i."organizationId" = $1 and ${SHOWN} and i."stateType" <> 'completed') as value`;
  const all = [open, count("team", "teamId"), count("user", "creatorId")].concat(
    ...[progress("project", "projectId"), progress("cycle", "cycleId")],
  );
  const rows = await db.query<{ id: string; value: number }>({
    text: all.join(" union all "),
    values: [organizationId],
  });
  return new Map(rows.map(({ id, value }) => [id, value]));
}
