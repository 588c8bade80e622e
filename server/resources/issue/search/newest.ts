import type { Build } from "../../../read/entity.ts";
import { organization } from "../../../read/row.ts";
import type { Scope } from "../../../scope.ts";
import { limitSql } from "../../recorded/computed-row.ts";
import type { Arguments } from "../../resource.ts";
import { maxSearchedBytes, maxSearchedRows } from "../../searched.ts";
import { TEXT_TABLES } from "../../texts.ts";
import { bindTermValue, type Search, type TextTable } from "./parts.ts";
import { parseSearch, type Term, textsIn } from "./term.ts";

/**
 * SQL for the newest texts, limited by rows and by bytes. Without `offset 0` the planner compares a word before it
 * measures the text, and therefore reads every text (test/tracker/search-bounds). Because of the order, a search
 * stops after enough hits (test/jobs/scale). Raw SQL: a fragment for the read planner.
 */
export const newestTexts = (
  search: Search,
  table: TextTable,
  rows: number | string = maxSearchedRows(search.build),
): string =>
  `(select n.* from ${measured(search, table, rows)} where n.through <= ${bytes(search)} or n.place = 1
    order by n."createdAt" desc, n.id desc offset 0)`;

/** SQL for the time of the oldest text within the limits; null if no older text exists. */
export const oldestReadSql = (search: Search, table: TextTable): string => {
  const read = maxSearchedRows(search.build);
  return `(select case when count(*) > count(*) filter (where n.inside) then min(n."createdAt") filter (where n.inside) end
    from (select n."createdAt", (n.through <= ${bytes(search)} or n.place = 1) and n.place <= ${read} as inside
      from ${measured(search, table, read + 1)}) n)`;
};

const bytes = (search: Search): string =>
  bindTermValue(search, "bytes", "integer", (term) => bytesFor(search.build, term));

/** Maximum bytes of text per table that a search may read. */
export const bytesFor = (build: Pick<Build, "searches">, term: Term): number =>
  maxSearchedBytes(build, textsIn(term), TEXT_TABLES.length);

/**
 * SQL for the newest texts with the sum of their lengths. PostgreSQL returns the length of a long text without
 * reading the text.
 */
const measured = ({ build }: Search, table: TextTable, rows: number | string): string =>
  `(select n.*, row_number() over w as place, sum(octet_length(n.text)) over w as through
    from (select * from "${table}" n where n."organizationId" = ${organization(build)}
      order by n."createdAt" desc, n.id desc limit ${rows}) n
    window w as (order by n."createdAt" desc, n.id desc rows unbounded preceding)) n`;

/**
 * Time limit in milliseconds of a search through the index. A search must read the found texts, and a common word may
 * find all texts.
 */
const INDEX_MS = 80;
/** Number of an organization's texts that are measured before a search. */
const FEW = 1_000;

const SMALL = `select count(*) < ${FEW} and coalesce(sum(bytes), 0) <= $2::integer as small from (
  ${TEXT_TABLES.map(
    ({ table }) =>
      `(select octet_length(n.text) as bytes from "${table}" n where n."organizationId" = $1::uuid
        order by n."createdAt" desc, n.id desc ${limitSql(FEW)})`,
  ).join(" union all ")}) n`;

/**
 * Returns the time limit in milliseconds of searches through the index. Returns 0 if each search may read all texts
 * of the organization: the texts are then read without the index, which also contains texts of other organizations.
 */
export async function indexLimit({ db, organizationId }: Scope, asked: readonly Arguments[], searches: number) {
  const bytes = asked.map((args) => bytesFor({ searches }, parseSearch(args).term));
  const values = [organizationId, Math.min(...bytes)];
  const turn = { queueClass: "read", tenant: organizationId } as const;
  const [row] = await db.query<{ small: boolean }>({ name: "search-small", text: SMALL, values }, undefined, turn);
  return row?.small ? 0 : INDEX_MS;
}
