import { runSql } from "../../test/support/db/postgres.ts";
import type { FilledTracker } from "../../test/support/tracker/tracker.ts";

/** SQL of the id of the n-th issue. */
const id = (n: string): string => `('01990000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

/**
 * Fills an organization with issues through SQL. Of twenty issues, eight are blocked, six are done, two are held and
 * four are ready, spread over teams and priorities. The urgent issues are blocked, so that a scan in order of
 * priority would meet all blocked issues.
 */
export async function fillWork(url: string, { organizationId, userId }: FilledTracker, issues: number): Promise<void> {
  const org = `'${organizationId}'::uuid`;
  const texts = [
    `create temporary table work_team as select t.id, row_number() over (order by t.id) - 1 as place,
       (select id from "workflowState" s where s."teamId" = t.id and s.type = 'backlog') as backlog,
       (select id from "workflowState" s where s."teamId" = t.id and s.type = 'started') as started,
       (select id from "workflowState" s where s."teamId" = t.id and s.type = 'completed') as completed
     from team t where t."organizationId" = ${org}`,
    `insert into issue ("organizationId", id, "teamId", number, title, description, priority, "stateId", "stateType",
       "openBlockers", unblocks, leased, fence, "creatorId", "createdAt", "updatedAt")
     select ${org}, ${id("n")}, t.id, 1000000 + n, 'Fix the thing that broke in build ' || n, null,
       case when n % 20 < 8 then 1 else n % 5 end,
       case when n % 20 < 8 or n % 20 >= 16 then t.backlog when n % 20 < 14 then t.completed else t.started end,
       case when n % 20 < 8 or n % 20 >= 16 then 'backlog' when n % 20 < 14 then 'completed' else 'started' end,
       case when n % 20 < 8 then 1 else 0 end, 0, n % 20 in (14, 15), 0, '${userId}',
       timestamptz '2026-01-01' + (n || ' seconds')::interval, timestamptz '2026-01-01' + (n || ' seconds')::interval
     from generate_series(1, ${issues}) n join work_team t on t.place = n / 20 % (select count(*) from work_team)`,
    `insert into "issueRelation" ("organizationId", id, type, "issueId", "relatedIssueId", "createdAt", "updatedAt")
     select ${org}, gen_random_uuid(), 'blocks', ${id("n - n % 20 + 16")}, ${id("n")}, now(), now()
     from generate_series(1, ${issues - 20}) n where n % 20 < 8`,
    `update issue set unblocks = 8 where "organizationId" = ${org} and id in (
       select "issueId" from "issueRelation" where "organizationId" = ${org})`,
    "drop table work_team",
  ];
  await runSql(url, texts.join(";\n"));
}
