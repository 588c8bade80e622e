import type { Build } from "../../../read/entity.ts";
import { organization } from "../../../read/row.ts";
import type { Scope } from "../../../scope.ts";
import { atMost } from "../../recorded/computed-row.ts";
import type { Arguments } from "../../resource.ts";
import { bytesOf, rowsOf } from "../../searched.ts";
import { TEXT_TABLES } from "../../texts.ts";
import { type Search, type TextTable, value } from "./parts.ts";
import { askedOf, type Term, textsIn } from "./term.ts";

/**
 * SQL of the newest texts, as many as may be read: so many rows, and so many bytes. Without `offset 0` the planner compares
 * one word before it measures its text, and so reads all of them (test/tracker/search-bounds). By their order a search
 * stops when it has enough (test/jobs/scale). Raw SQL: a part of what the read planner writes.
 */
export const newestTexts = (search: Search, table: TextTable, rows: number | string = rowsOf(search.build)): string =>
  `(select n.* from ${measured(search, table, rows)} where n.through <= ${bytes(search)} or n.place = 1
    order by n."createdAt" desc, n.id desc offset 0)`;

/** SQL of the moment of the last of them; null when there is nothing before it. */
export const reached = (search: Search, table: TextTable): string => {
  const read = rowsOf(search.build);
  return `(select case when count(*) > count(*) filter (where n.inside) then min(n."createdAt") filter (where n.inside) end
    from (select n."createdAt", (n.through <= ${bytes(search)} or n.place = 1) and n.place <= ${read} as inside
      from ${measured(search, table, read + 1)}) n)`;
};

const bytes = (search: Search): string => value(search, "bytes", "integer", (term) => bytesFor(search.build, term));

/** Bytes of texts of each table that one search may read. */
export const bytesFor = (build: Pick<Build, "searches">, term: Term): number =>
  bytesOf(build, textsIn(term), TEXT_TABLES.length);

/** The length of a long text is known without reading it. */
const measured = ({ build }: Search, table: TextTable, rows: number | string): string =>
  `(select n.*, row_number() over w as place, sum(octet_length(n.text)) over w as through
    from (select * from "${table}" n where n."organizationId" = ${organization(build)}
      order by n."createdAt" desc, n.id desc limit ${rows}) n
    window w as (order by n."createdAt" desc, n.id desc rows unbounded preceding)) n`;

/** Milliseconds that a search may take which asks the index of many texts: what that finds has to be read, and may be all. */
const INDEX_MS = 80;
/** Texts of an organization that are measured before. */
const FEW = 1_000;

const SMALL = `select count(*) < ${FEW} and coalesce(sum(bytes), 0) <= $2::integer as small from (
  ${TEXT_TABLES.map(
    ({ table }) =>
      `(select octet_length(n.text) as bytes from "${table}" n where n."organizationId" = $1::uuid
        order by n."createdAt" desc, n.id desc ${atMost(FEW)})`,
  ).join(" union all ")}) n`;

/**
 * Milliseconds that searches may take by the index. 0 where all texts together are no more than each of them may read: then
 * they are read, and the index is not asked, which holds the texts of other organizations too.
 */
export async function indexLimit({ db, organizationId }: Scope, asked: readonly Arguments[], searches: number) {
  const bytes = asked.map((args) => bytesFor({ searches }, askedOf(args).term));
  const values = [organizationId, Math.min(...bytes)];
  const turn = { queueClass: "read", tenant: organizationId } as const;
  const [row] = await db.query<{ small: boolean }>({ name: "search-small", text: SMALL, values }, undefined, turn);
  return row?.small ? 0 : INDEX_MS;
}
