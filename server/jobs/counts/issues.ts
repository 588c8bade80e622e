import { knex, toStatement } from "../../../db/builder.ts";
import { COUNTED_BY, countNext, EVERY_ID, NO_ID, SUMS, sumsOfIssues } from "../../../db/issue-counts.ts";
import type { Database } from "../../../db/open.ts";
import { model } from "../../resources/index.ts";
import type { Runtime } from "../../runtime.ts";
import { mutate } from "../../write/mutate.ts";
import type { Write } from "../../write/write.ts";
import { systemScope } from "../system-scope.ts";

/** Issues that one transaction counts: the organization's other writers wait for it. */
const ISSUES = 2_000;
/** Rows whose counts one statement compares. */
const COMPARED = 10;

/** Raw SQL, as docs/database.md says why. Counts the issues of organizations that are older than their counts, piece by piece; readers count them until then. */
export async function countIssues(runtime: Runtime, issues = ISSUES): Promise<void> {
  for (const id of await organizations(runtime.db, "counted")) {
    for (let pieces = true; pieces; ) pieces = await alone(runtime, id, (write) => countPiece(write, issues));
  }
}

/** Organizations all of whose issues are counted, or are not. */
async function organizations(db: Database, which: "counted" | "kept"): Promise<string[]> {
  const all = knex("organization as o").leftJoin("issueCounted as c", "c.organizationId", "o.id").orderBy("o.id");
  const wanted = all.whereRaw(`c."upTo" is ${which === "kept" ? "not " : ""}distinct from ?::uuid`, [EVERY_ID]);
  return (await db.query<{ id: string }>(toStatement(wanted.select("o.id")))).map(({ id }) => id);
}

/** Does something while nobody else writes in an organization. */
async function alone<T>(runtime: Runtime, organizationId: string, work: (write: Write) => Promise<T>): Promise<T> {
  const outcome: { value?: T } = {};
  await mutate(systemScope(runtime, organizationId), model, async (write) => {
    outcome.value = await work(write);
    write.direct = true;
    return {};
  });
  return outcome.value as T;
}

/** Returns whether more is left. */
async function countPiece({ trx, scope }: Write, issues: number): Promise<boolean> {
  const { organizationId } = scope;
  const begun = knex("issueCounted").insert({ organizationId, upTo: NO_ID }).onConflict("organizationId").ignore();
  await trx.query(toStatement(begun));
  await trx.query({ text: countNext(issues), values: [organizationId] });
  const left = knex("issueCounted").where({ organizationId }).whereNot({ upTo: EVERY_ID }).select("upTo");
  return (await trx.query(toStatement(left))).length > 0;
}

/**
 * Compares the counts that are kept with the issues, and mends those that differ: a server of an older release, which
 * runs on beside this one while it is replaced, keeps none. Returns how many it mended.
 */
export async function compareIssueCounts(runtime: Runtime): Promise<number> {
  let mended = 0;
  for (const organizationId of await organizations(runtime.db, "kept")) {
    for (const each of COUNTED_BY) mended += await compareKind(runtime, organizationId, each);
  }
  return mended;
}

type Counted = (typeof COUNTED_BY)[number];

async function compareKind(runtime: Runtime, organizationId: string, counted: Counted): Promise<number> {
  const { db, log } = runtime;
  let mended = 0;
  for (let after: string | undefined = NO_ID; after; ) {
    const rows = knex(counted.table).where({ organizationId }).where("id", ">", after).orderBy("id").limit(COMPARED);
    const ids = (await db.query<{ id: string }>(toStatement(rows.select("id")))).map(({ id }) => id);
    const wrong = await db.query<{ id: string }>({ text: differing(counted), values: [organizationId, ids] });
    for (const { id } of wrong) {
      log.warn({ organizationId, kind: counted.kind, id }, "a count of issues was wrong and is made anew");
      await alone(runtime, organizationId, ({ trx }) => recount(trx.query, counted, [organizationId, [id]]));
      mended += 1;
    }
    after = ids.at(-1);
  }
  return mended;
}

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

const NAMES = Object.keys(SUMS).join(", ");

/** SQL of counts of issues made anew, of the ids $2. */
const recounted = ({ by, teams }: Counted): string => `
  select i."${by}" as id, ${teams ? `i."teamId"` : `'${NO_ID}'::uuid`} as team, ${sumsOfIssues} from issue i
   where i."organizationId" = $1 and i."${by}" = any($2::uuid[]) group by 1, 2`;

/** SQL of which of the ids $2 have other counts than were kept: both are read as they are at one moment. */
const differing = (counted: Counted): string => `
  with made as (${recounted(counted)}),
  kept as (select id, "teamId" as team, ${NAMES} from "issueCount" where "organizationId" = $1 and kind = '${counted.kind}'
    and id = any($2::uuid[]) and (issues <> 0 or shown <> 0 or completed <> 0))
  select distinct id from ((select * from made except all select * from kept) union all (select * from kept except all select * from made)) d`;
