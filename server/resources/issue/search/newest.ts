import type { StatementBuild } from "../../../read/entity.ts";
import { bindOrganization } from "../../../read/row.ts";
import type { Scope } from "../../../scope.ts";
import { limitSql } from "../../recorded/computed-row.ts";
import type { CoercedArguments } from "../../resource.ts";
import { maxSearchedBytes, maxSearchedRows } from "../../searched.ts";
import { SEARCH_TEXT_TABLES } from "../../texts.ts";
import { bindTermValue, type SearchContext, type TextTable } from "./parts.ts";
import { listRequiredTexts, parseSearch, type Term } from "./term.ts";

/**
 * SQL for the newest texts, limited by number and by total size. `offset 0` makes PostgreSQL measure a text before
 * comparing the text with a word; without it, every text is read (test/tracker/search-bounds). Because the texts are
 * sorted, a search stops after enough matches (test/jobs/scale). Raw SQL: a fragment for the read planner.
 */
export const newestTextsSql = (
  search: SearchContext,
  table: TextTable,
  rows: number | string = maxSearchedRows(search.build),
): string =>
  `(select n.* from ${measured(search, table, rows)} where n.through <= ${bytes(search)} or n.place = 1
    order by n."createdAt" desc, n.id desc offset 0)`;

/** SQL for the time of the oldest text within the limits; null if no older text exists. */
export const oldestSearchedTimeSql = (search: SearchContext, table: TextTable): string => {
  const read = maxSearchedRows(search.build);
  return `(select case when count(*) > count(*) filter (where n.inside) then min(n."createdAt") filter (where n.inside) end
    from (select n."createdAt", (n.through <= ${bytes(search)} or n.place = 1) and n.place <= ${read} as inside
      from ${measured(search, table, read + 1)}) n)`;
};

const bytes = (search: SearchContext): string =>
  bindTermValue(search, "bytes", "integer", (term) => maxSearchedBytesPerTable(search.build, term));

/** Maximum bytes of text per table that a search may read. */
export const maxSearchedBytesPerTable = (build: Pick<StatementBuild, "searches">, term: Term): number =>
  maxSearchedBytes(build, listRequiredTexts(term), SEARCH_TEXT_TABLES.length);

/**
 * SQL for the newest texts with the sum of their lengths. PostgreSQL returns the length of a long text without
 * reading the text.
 */
const measured = ({ build }: SearchContext, table: TextTable, rows: number | string): string =>
  `(select n.*, row_number() over w as place, sum(octet_length(n.text)) over w as through
    from (select * from "${table}" n where n."organizationId" = ${bindOrganization(build)}
      order by n."createdAt" desc, n.id desc limit ${rows}) n
    window w as (order by n."createdAt" desc, n.id desc rows unbounded preceding)) n`;

/**
 * Time limit in milliseconds of a search through the index. The limit is needed because a search must read all texts
 * that the index finds, and a common word may occur in all texts.
 */
const INDEX_MS = 80;
/**
 * Maximum number of texts per table whose sizes are measured before a search. An organization with this number of texts
 * or more does not count as small.
 */
const FEW = 1_000;

const SMALL = `select count(*) < ${FEW} and coalesce(sum(bytes), 0) <= $2::integer as small from (
  ${SEARCH_TEXT_TABLES.map(
    ({ table }) =>
      `(select octet_length(n.text) as bytes from "${table}" n where n."organizationId" = $1::uuid
        order by n."createdAt" desc, n.id desc ${limitSql(FEW)})`,
  ).join(" union all ")}) n`;

/**
 * Returns the time limit in milliseconds of searches through the index. Returns 0 if each search may read all texts
 * of the organization: the texts are then read without the index, which also contains texts of other organizations.
 */
export async function computeIndexTimeLimitMs(
  { db, organizationId }: Scope,
  asked: readonly CoercedArguments[],
  searches: number,
) {
  const bytes = asked.map((args) => maxSearchedBytesPerTable({ searches }, parseSearch(args).term));
  const values = [organizationId, Math.min(...bytes)];
  const turn = { queueClass: "read", tenant: organizationId } as const;
  const [row] = await db.query<{ small: boolean }>({ name: "search-small", text: SMALL, values }, undefined, turn);
  return row?.small ? 0 : INDEX_MS;
}
