import { knex, toStatement } from "../../db/builder.ts";
import type { Database } from "../../db/open.ts";
import { EVERY_ID, NO_ID } from "../id.ts";
import { COUNTED_BY, countNext, SUMS, sumsOfIssues } from "../resources/issue/issue-counts.ts";
import type { Runtime } from "../runtime.ts";
import type { Write } from "../write/write.ts";
import { alone, byKey, bySql, type Comparison, ofTracker } from "./derived/comparison.ts";

/** Issues that one transaction counts: the organization's other writers wait for it. */
const ISSUES = 2_000;
/** Rows whose counts one statement compares: each may be of any number of issues. */
const COMPARED = 10;

const NAMES = Object.keys(SUMS).join(", ");

/** Raw SQL, as docs/database.md says why. Counts the issues of organizations that are older than their counts, piece by piece; readers count them until then. */
export async function countIssues(runtime: Runtime, issues = ISSUES): Promise<void> {
  for (const id of await uncounted(runtime.db)) {
    for (let pieces = true; pieces; ) pieces = await alone(runtime, id, (write) => countPiece(write, issues));
  }
}

/** Organizations, but for deleted ones, not all of whose issues are counted. */
async function uncounted(db: Database): Promise<string[]> {
  const all = knex("organization as o").leftJoin("issueCounted as c", "c.organizationId", "o.id").orderBy("o.id");
  const wanted = all.whereNull("o.deletedAt").whereRaw(`c."upTo" is distinct from ?::uuid`, [EVERY_ID]);
  return (await db.query<{ id: string }>(toStatement(wanted.select("o.id")))).map(({ id }) => id);
}

/** Returns whether more is left. */
async function countPiece(write: Write, issues: number): Promise<boolean> {
  const { trx, scope } = write;
  const { organizationId } = scope;
  write.direct = true;
  const begun = knex("issueCounted").insert({ organizationId, upTo: NO_ID }).onConflict("organizationId").ignore();
  await trx.query(toStatement(begun));
  await trx.query({ text: countNext(issues), values: [organizationId] });
  const left = knex("issueCounted").where({ organizationId }).whereNot({ upTo: EVERY_ID }).select("upTo");
  return (await trx.query(toStatement(left))).length > 0;
}

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

/** SQL of counts of issues made anew, of the ids $2. */
function recounted({ by, teams }: Counted): string {
  return `
  select i."${by}" as id, ${teams ? `i."teamId"` : `'${NO_ID}'::uuid`} as team, ${sumsOfIssues} from issue i
   where i."organizationId" = $1 and i."${by}" = any($2::uuid[]) group by 1, 2`;
}

/** SQL of which of the ids $2 have other counts than were kept, of an organization all of whose issues are counted. */
function differing(counted: Counted): string {
  return `
  with made as (${recounted(counted)}),
  kept as (select id, "teamId" as team, ${NAMES} from "issueCount" where "organizationId" = $1 and kind = '${counted.kind}'
    and id = any($2::uuid[]) and (issues <> 0 or shown <> 0 or completed <> 0))
  select distinct id from ((select * from made except all select * from kept) union all (select * from kept except all select * from made)) d
   where exists (select from "issueCounted" where "organizationId" = $1 and "upTo" = '${EVERY_ID}')`;
}
