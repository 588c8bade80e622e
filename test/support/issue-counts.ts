import type { Database } from "../../db/open.ts";

/**
 * Counts of issues that are not what the issues come to, of organizations all of whose issues are counted. It counts in words
 * of its own, and asks the server for nothing.
 */
export const wrongCounts = (db: Pick<Database, "query">): Promise<Record<string, unknown>[]> =>
  db.query({
    text: `
    with part as (
      select i."organizationId", k.kind, k.id, k.team, i."stateType",
          i."archivedAt" is null and coalesce(i.trashed, false) = false and i."stateType" <> all(array['canceled', 'duplicate']) as shown
        from issue i join "issueCounted" d on d."organizationId" = i."organizationId" and d."upTo" = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
        cross join lateral (values ('team', i."teamId", i."teamId"), ('project', i."projectId", i."teamId"), ('cycle', i."cycleId", i."teamId"),
          ('creator', i."creatorId", '00000000-0000-0000-0000-000000000000')) k (kind, id, team) where k.id is not null),
    made as (
      select "organizationId", kind, id, team, count(*) as issues, sum(shown::integer) as shown,
          sum((shown and "stateType" = 'completed')::integer) as completed
        from part group by 1, 2, 3, 4),
    kept as (
      select "organizationId", kind, id, "teamId" as team, issues, shown, completed from "issueCount"
        join "issueCounted" d using ("organizationId")
       where d."upTo" = 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    select 'kept' as which, * from (table kept except all table made) k
    union all select 'real', * from (table made except all table kept) m limit 10`,
    values: [],
  });
