import { buildCanonicalSql } from "../../../db/text/canonical.ts";
import { connectionJson } from "../../read/connection/connection.ts";
import type { Order } from "../../read/connection/order.ts";
import type { Build, SqlRow } from "../../read/entity.ts";
import { type Json, valueJson } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import { column, fieldSql, organization, readShape } from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import type { Resource } from "../resource.ts";
import { issue } from "./issue.ts";
import { hitsSql, searchedSince } from "./search/hits.ts";
import { externalIdMatchesSql } from "./search/named.ts";
import { indexLimit, newestTexts } from "./search/newest.ts";
import { withOperators } from "./search/operators.ts";
import { bindTermValue, RANKED, rankedIssuesSql, type Search, searchedTables } from "./search/parts.ts";
import { wholeTerm } from "./search/patterns.ts";
import { queriesSql } from "./search/queries.ts";
import { wordScans } from "./search/term.ts";

/**
 * JSON of the search words that no text contains, if the page is empty. When the search does not use the index, only
 * the newest texts are checked. Raw SQL: a fragment for the read planner.
 */
function unmatchedWords(search: Search): Json {
  const rows = (table: "issueText" | "commentText") =>
    search.build.newestAlone ? newestTexts(search, table, RANKED) : `"${table}"`;
  const nowhere = searchedTables(search).map(
    (table) => `not exists (select from ${rows(table)} x
      where x."organizationId" = ${organization(search.build)} and x.words @@ w.query)`,
  );
  const words = `select coalesce(json_agg(w.word order by w.n), '[]')::text from (${queriesSql(search)}) a,
    unnest(a.plain, a.each) with ordinality w (word, query, n) where ${nowhere.join(" and ")}`;
  return [{ sql: `case when count(*) = 0 then (${words}) else 'null' end` }];
}

/** Number of comparisons that a search for similar issues counts as: the maximum number of words. */
const SIMILAR_SCANS = 8;

/** Members of a root field that both searches share. */
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

/** Root fields that find issues by the words of a term, or issues similar to a description; best match first. */
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

/**
 * Members of a page in addition to the issues. Only selected members are written, because every bound value must
 * occur in the statement.
 */
function besides(search: Search): Record<string, Json> {
  const { build, selection } = search;
  const asked = (name: string) => selection.children.some(({ field }) => field === name);
  return {
    ...(asked("searchedSince") && { searchedSince: valueJson("timestamp", searchedSince(build, selection)) }),
    ...(asked("unmatchedWords") && { unmatchedWords: unmatchedWords(search) }),
  };
}

const found = (search: Search): string => rankedIssuesSql(search, hitsSql(search), (row) => bonus(search, row));

/** Best match first. Of equal matches, open issues come first, then newer issues. */
function rank(build: Build, selection: Selection): Order {
  const orderBy = String(readShape(build, selection).orderBy ?? "createdAt");
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

/**
 * SQL for the additional rank of the whole term: the term identifies the issue, occurs in the title, or is the
 * beginning of the identifier.
 */
function bonus(search: Search, row: SqlRow): string {
  const term = bindTermValue(search, "whole", "text", (_, whole) => wholeTerm(whole));
  const identifier = fieldSql(row, "identifier")?.sql ?? "''";
  const foreign = externalIdMatchesSql(search, "external", (whole) => [whole.trim()]);
  return `case when ${identifier} ilike ${term} or ${column(row, "id")} = any(array(${foreign})) then 10000
    when ' ' || ${buildCanonicalSql(column(row, "title"))} ilike '% ' || ${term} || '%' then 8 when ${identifier} ilike ${term} || '%' then 2 else 0 end`;
}
