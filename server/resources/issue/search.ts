import { connectionJson } from "../../read/connection/connection.ts";
import type { Order } from "../../read/connection/order.ts";
import type { Build, SqlRow } from "../../read/entity.ts";
import { valueJson } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import { bind, column, fieldValue, shapeOf } from "../../read/row.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import type { Resource } from "../resource.ts";
import { issue } from "./issue.ts";
import { externallyNamed } from "./search/external.ts";
import { hits, searchedSince } from "./search/hits.ts";
import { indexLimit } from "./search/newest.ts";
import { issuesNamed } from "./search/parts.ts";
import { wholeTerm, wordScans, wordsOf } from "./search/words.ts";

/** Root field `searchIssues`: issues that have all words of a term, in any case, best match first. */
export const search: Resource = {
  entity: { ...issue.entity, name: "IssueSearchResult" },
  values: {
    searchIssues: {
      searches: true,
      identifiedBy: "term",
      scans: ({ term }) => wordScans(String(term)),
      limit: indexLimit,
      sql: (build, selection) =>
        connectionJson(build, {
          source: null,
          link: {
            entity: "IssueSearchResult",
            rows: (row) => issuesNamed({ build, selection }, row, hits(build, selection)),
          },
          selection,
          rowJson,
          order: rank(build, selection),
          // A value that is bound must stand in the statement, so only what is asked for is written.
          also: selection.children.some(({ field }) => field === "searchedSince")
            ? { searchedSince: valueJson("timestamp", searchedSince(build, selection)) }
            : {},
        }),
    },
  },
};

/** SQL of how well a row matches: its identifier before words of the title before words within. */
function rank(build: Build, selection: Selection): Order {
  const orderBy = shapeOf(build, selection).orderBy ?? "createdAt";
  const term = (key: string, cast: string, of: (term: string) => unknown) =>
    bind(build, `${selection.argumentIndex}.${key}`, cast, ({ args }) => of(String(argsOf(selection, args).term)));
  const foreign = externallyNamed(build, selection, "external", (whole) => [whole.trim()]);
  const score = (row: SqlRow) => `(
    case when ${identifier(row)} ilike ${term("term", "text", wholeTerm)} or ${column(row, "id")} = any(array(${foreign}))
      then 1000 else 0 end
    + (select sum(case when ' ' || ${column(row, "title")} ilike '% ' || w || '%' then 8
        when ${column(row, "title")} ilike '%' || w || '%' then 4 else 0 end
      + case when ${identifier(row)} ilike '%' || w || '%' then 2 else 0 end)
      from unnest(${term("words", "text[]", wordsOf)}) w))::integer`;
  const step = { served: false, nullsFirst: false, nullable: false, descending: true };
  return {
    signature: `search,${orderBy}`,
    steps: [
      { ...step, name: "rank", type: "integer", sql: score },
      { ...step, name: String(orderBy), type: "timestamp", sql: (row) => column(row, String(orderBy)) },
    ],
  };
}

const identifier = (row: SqlRow): string => fieldValue(row, "identifier")?.sql ?? "''";
