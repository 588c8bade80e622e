import { connectionJson } from "../../read/connection/connection.ts";
import type { Order } from "../../read/connection/order.ts";
import type { Build, SqlRow } from "../../read/entity.ts";
import { type Json, valueJson } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import { column, fieldValue, organization, shapeOf } from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import type { Resource } from "../resource.ts";
import { issue } from "./issue.ts";
import { hits, searchedSince } from "./search/hits.ts";
import { externallyNamed } from "./search/named.ts";
import { indexLimit, newestTexts } from "./search/newest.ts";
import { withOperators } from "./search/operators.ts";
import { issuesNamed, RANKED, type Search, tablesOf, value } from "./search/parts.ts";
import { wholeTerm } from "./search/patterns.ts";
import { queries } from "./search/queries.ts";
import { wordScans } from "./search/term.ts";

/**
 * JSON of the words that no text has, where the page is empty. Where the index is left alone, the newest texts are asked.
 * Raw SQL: a part of what the read planner writes.
 */
function unmatchedWords(search: Search): Json {
  const rows = (table: "issueText" | "commentText") =>
    search.build.newestAlone ? newestTexts(search, table, RANKED) : `"${table}"`;
  const nowhere = tablesOf(search).map(
    (table) => `not exists (select from ${rows(table)} x
      where x."organizationId" = ${organization(search.build)} and x.words @@ w.query)`,
  );
  const words = `select coalesce(json_agg(w.word order by w.n), '[]')::text from (${queries(search)}) a,
    unnest(a.plain, a.each) with ordinality w (word, query, n) where ${nowhere.join(" and ")}`;
  return [{ sql: `case when count(*) = 0 then (${words}) else 'null' end` }];
}

/** Comparisons that a search for similar issues counts as: it is one of so many words at most. */
const SIMILAR_SCANS = 8;

/** The part of a root field that both searches share. */
const FOUND = {
  searches: true,
  limit: indexLimit,
  sql: (build: Build, selection: Selection) =>
    connectionJson(build, {
      source: null,
      link: { entity: "IssueSearchResult", rows: () => found({ build, selection }) },
      selection,
      rowJson,
      order: rank(build, selection),
      also: besides({ build, selection }),
    }),
} as const;

/** Root fields for issues that have the words of a term, or are like one that is described; best match first. */
export const search: Resource = {
  entity: { ...issue.entity, name: "IssueSearchResult" },
  values: {
    searchIssues: {
      ...FOUND,
      identifiedBy: "term",
      normalized: withOperators,
      scans: ({ term }) => wordScans(String(term)),
    },
    similarIssues: { ...FOUND, scans: () => SIMILAR_SCANS },
  },
};

/** Members of a page beside its issues. A value that is bound must stand in the statement, so only what is asked for is written. */
function besides(search: Search): Record<string, Json> {
  const { build, selection } = search;
  const asked = (name: string) => selection.children.some(({ field }) => field === name);
  return {
    ...(asked("searchedSince") && { searchedSince: valueJson("timestamp", searchedSince(build, selection)) }),
    ...(asked("unmatchedWords") && { unmatchedWords: unmatchedWords(search) }),
  };
}

const found = (search: Search): string => issuesNamed(search, hits(search), (row) => bonus(search, row));

/** Best match first; of equals the open ones, and then the newest. */
function rank(build: Build, selection: Selection): Order {
  const orderBy = String(shapeOf(build, selection).orderBy ?? "createdAt");
  const step = { served: false, nullsFirst: false, nullable: false, descending: true };
  const open = (row: SqlRow) =>
    `(${column(row, "stateType")} in ('triage', 'backlog', 'unstarted', 'started'))::integer`;
  return {
    signature: `search,open,${orderBy}`,
    steps: [
      { ...step, name: "rank", type: "integer", sql: (row) => column(row, "rank") },
      { ...step, name: "open", type: "integer", sql: open },
      { ...step, name: orderBy, type: "timestamp", sql: (row) => column(row, orderBy) },
    ],
  };
}

/** SQL of what the whole term adds to a rank: it names the issue, or stands in the title, or the identifier begins with it. */
function bonus(search: Search, row: SqlRow): string {
  const term = value(search, "whole", "text", (_, whole) => wholeTerm(whole));
  const identifier = fieldValue(row, "identifier")?.sql ?? "''";
  const foreign = externallyNamed(search, "external", (_, whole) => [whole.trim()]);
  return `case when ${identifier} ilike ${term} or ${column(row, "id")} = any(array(${foreign})) then 10000
    when ' ' || ${column(row, "title")} ilike '% ' || ${term} || '%' then 8 when ${identifier} ilike ${term} || '%' then 2 else 0 end`;
}
