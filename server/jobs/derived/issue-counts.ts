import { COUNTED_BY, countedSql, SUM_NAMES } from "../../resources/issue/counts.ts";
import type { Write } from "../../write/write.ts";
import { byKey, bySql, type Comparison, ofTracker } from "./comparison.ts";

/** Rows whose counts one statement compares: each may be of any number of issues. */
const COMPARED = 10;

const NAMES = SUM_NAMES.join(", ");

type Counted = (typeof COUNTED_BY)[number];

/** The counts that are kept by teams, projects, cycles and creators, compared with the issues. */
export const issueCounts: Comparison[] = COUNTED_BY.map((counted) =>
  ofTracker(
    {
      value: `issues of a ${counted.kind}`,
      next: byKey(counted.table, COMPARED),
      differing: bySql(differing(counted)),
    },
    ({ trx, scope }, ids) => recount(trx.query, counted, [scope.organizationId, ids]),
  ),
);

async function recount(query: Write["trx"]["query"], counted: Counted, values: unknown[]): Promise<void> {
  await query({
    text: `delete from "issueCount" where "organizationId" = $1 and kind = '${counted.kind}' and id = any($2::uuid[])`,
    values,
  });
  await query({
    text: `insert into "issueCount" ("organizationId", kind, id, "teamId", ${NAMES}) select $1, '${counted.kind}', n.* from (${recounted(counted)}) n`,
    values,
  });
}

/** Raw SQL here and below: counts of issues made anew, of the ids $2. */
function recounted(counted: Counted): string {
  return `
  select ${countedSql(counted)} from issue i
   where i."organizationId" = $1 and i."${counted.by}" = any($2::uuid[]) group by 1, 2`;
}

/** SQL of which of the ids $2 have other counts than were kept. */
function differing(counted: Counted): string {
  return `
  with made as (${recounted(counted)}),
  kept as (select id, "teamId" as team, ${NAMES} from "issueCount" where "organizationId" = $1 and kind = '${counted.kind}'
    and id = any($2::uuid[]) and (issues <> 0 or shown <> 0 or completed <> 0))
  select distinct id from ((select * from made except all select * from kept) union all (select * from kept except all select * from made)) d`;
}
