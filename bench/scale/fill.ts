import { mintPersonalKey } from "../../server/auth/key.ts";
import { ISSUE_COUNT_COLUMNS, ISSUE_COUNT_KEYS, issueCountsByKeySql } from "../../server/resources/issue/counts.ts";
import { MARK_EVERYTHING_STATEMENTS } from "../../server/resources/recorded/analytics/index.ts";
import { insertAllSearchTextsSql, SEARCH_TEXT_TABLES } from "../../server/resources/texts.ts";
import { buildIdSql, recordedRows, type Size, SMALL_ORGANIZATIONS, trackerRows } from "./rows.ts";

/** Runs a statement. All statements use the same connection. */
export type Run = (text: string) => Promise<readonly Record<string, unknown>[]>;

/** Fills an empty database with one large and many small organizations. @returns a key of the large organization */
export async function fillScale(run: Run, size: Size): Promise<string> {
  // The generated foreign keys are valid, and checking each would take longer than writing the row.
  await run("set session_replication_role = replica");
  const indexes = await withoutIndexes(run);
  await run(`create temporary table scale_organization as
    select n as number, ${buildIdSql("0a0", "n")} as id, s.*, case when n = 0 then ${size.users ?? "s.sessions / 10 + 1"} else s.sessions / 10 + 1 end as users from generate_series(0, ${SMALL_ORGANIZATIONS.organizations}) n
    cross join lateral (select case when n = 0 then ${size.issues} else ${SMALL_ORGANIZATIONS.issues} end as issues,
      case when n = 0 then ${size.sessions ?? Math.floor(size.issues / 5)} else ${SMALL_ORGANIZATIONS.issues / 5} end as sessions) s`);
  const texts = SEARCH_TEXT_TABLES.map(insertAllSearchTextsSql);
  for (const text of [
    ...trackerRows,
    ...recordedRows(size.events),
    ...texts,
    ...indexes,
    ...MARK_EVERYTHING_STATEMENTS,
  ])
    await run(text);
  for (const counted of ISSUE_COUNT_KEYS)
    await run(`insert into "issueCount" ("organizationId", kind, id, "teamId", ${ISSUE_COUNT_COLUMNS.join(", ")})
      select o.id, '${counted.kind}', n.* from scale_organization o cross join lateral (
        select ${issueCountsByKeySql(counted)} from issue i where i."organizationId" = o.id and i."${counted.by}" is not null group by 1, 2) n`);
  const { key, hash, last4 } = mintPersonalKey();
  await run(`insert into "apiKey" (hash, id, "organizationId", "userId", label, last4, "createdAt")
    values ('\\x${hash.toString("hex")}', gen_random_uuid(), ${buildIdSql("0a0", "0")}, ${buildIdSql("0b0", "1")}, 'scale', '${last4}', now())`);
  await run("drop table scale_organization, scale_word, scale_sentence");
  await run("set session_replication_role = default");
  await run("vacuum analyze");
  return key;
}

/**
 * Drops indexes, because inserts are several times as fast without them. @returns the statements that create
 * the indexes again
 */
async function withoutIndexes(run: Run): Promise<string[]> {
  const rows = await run(`
    select c.oid::regclass as name, pg_get_indexdef(c.oid) as made from pg_index i join pg_class c on c.oid = i.indexrelid
    where i.indrelid in ('issue'::regclass, 'comment'::regclass, '"issueLabelLink"'::regclass, 'recorded_event'::regclass,
      'recorded_session'::regclass, '"issueText"'::regclass, '"commentText"'::regclass) and not i.indisunique`);
  for (const { name } of rows) await run(`drop index ${name}`);
  return rows.map(({ made }) => String(made));
}
