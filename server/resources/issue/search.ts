import { buildNfcSql } from "../../../db/text/canonical.ts";
import { connectionJsonSql } from "../../read/connection/connection.ts";
import type { Order } from "../../read/connection/order.ts";
import type { SqlRow, StatementBuild } from "../../read/entity.ts";
import { type JsonSql, valueJson } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import { bindOrganization, columnSql, fieldSql, getArgumentShape } from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";
import type { Resource } from "../resource.ts";
import { issueResource } from "./issue.ts";
import { hitsSql, searchedSinceSql } from "./search/hits.ts";
import { externalIdMatchesSql } from "./search/named.ts";
import { computeIndexTimeLimitMs, newestTextsSql } from "./search/newest.ts";
import { moveOperatorsToFilter } from "./search/operators.ts";
import { bindTermValue, MAX_RANKED_HITS, rankedIssuesSql, type SearchContext, searchedTables } from "./search/parts.ts";
import { wholeTermPattern } from "./search/patterns.ts";
import { textSearchQueriesSql } from "./search/queries.ts";
import { countWordComparisons } from "./search/term.ts";

/**
 * JSON of the search words that no text contains, if the page is empty. When the search does not use the index, only
 * the newest texts are checked. Raw SQL: a fragment for the read planner.
 */
function unmatchedWords(search: SearchContext): JsonSql {
  const rows = (table: "issueText" | "commentText") =>
    search.build.newestAlone ? newestTextsSql(search, table, MAX_RANKED_HITS) : `"${table}"`;
  const nowhere = searchedTables(search).map(
    (table) => `not exists (select from ${rows(table)} x
      where x."organizationId" = ${bindOrganization(search.build)} and x.words @@ w.query)`,
  );
  const words = `select coalesce(json_agg(w.word order by w.n), '[]')::text from (${textSearchQueriesSql(search)}) a,
    unnest(a.plain, a.each) with ordinality w (word, query, n) where ${nowhere.join(" and ")}`;
  return [{ sql: `case when count(*) = 0 then (${words}) else 'null' end` }];
}

/**
 * Number of comparisons that the server charges for a search for similar issues. The number equals the maximum number
 * of words in such a search.
 */
const SIMILAR_SCANS = 8;

/** Properties that the root fields `searchIssues` and `similarIssues` have in common. */
const FOUND = {
  searches: true,
  limit: computeIndexTimeLimitMs,
  sql: (build: StatementBuild, selection: Selection) =>
    connectionJsonSql(build, {
      source: null,
      link: { entity: "IssueSearchResult", rows: () => found({ build, selection }) },
      selection,
      rowJson,
      order: rank(build, selection),
      also: besides({ build, selection }),
    }),
} as const;

/**
 * Two root fields: `searchIssues` finds issues by the words of a term, and `similarIssues` finds issues similar to a
 * description. Both return the best match first.
 */
export const issueSearchResource: Resource = {
  entity: { ...issueResource.entity, name: "IssueSearchResult" },
  values: {
    searchIssues: {
      ...FOUND,
      identifiedBy: "term",
      normalized: moveOperatorsToFilter,
      scans: ({ term }) => countWordComparisons(String(term)),
    },
    similarIssues: { ...FOUND, scans: () => SIMILAR_SCANS },
  },
};

/**
 * Fields of a search result page in addition to the issues. SQL is written only for selected fields, because every
 * bound value must occur in the statement.
 */
function besides(search: SearchContext): Record<string, JsonSql> {
  const { build, selection } = search;
  const asked = (name: string) => selection.children.some(({ field }) => field === name);
  return {
    ...(asked("searchedSince") && { searchedSince: valueJson("timestamp", searchedSinceSql(build, selection)) }),
    ...(asked("unmatchedWords") && { unmatchedWords: unmatchedWords(search) }),
  };
}

const found = (search: SearchContext): string => rankedIssuesSql(search, hitsSql(search), (row) => bonus(search, row));

/** Best match first. Of equal matches, open issues come first, then newer issues. */
function rank(build: StatementBuild, selection: Selection): Order {
  const orderBy = String(getArgumentShape(build, selection).orderBy ?? "createdAt");
  const step = { served: false, nullsFirst: false, nullable: false, descending: true };
  const open = (row: SqlRow) =>
    `(${columnSql(row, "stateType")} in ('triage', 'backlog', 'unstarted', 'started'))::integer`;
  return {
    signature: `search,open,${orderBy}`,
    steps: [
      { ...step, name: "rank", type: "integer", sql: (row) => columnSql(row, "rank") },
      { ...step, name: "open", type: "integer", sql: open },
      { ...step, name: orderBy, type: "timestamp", sql: (row) => columnSql(row, orderBy) },
    ],
  };
}

/**
 * SQL for the points that an issue gets in addition, if the whole term is the identifier or external id of the issue,
 * occurs in the title from the beginning of a word, or is the beginning of the identifier.
 */
function bonus(search: SearchContext, row: SqlRow): string {
  const term = bindTermValue(search, "whole", "text", (_, whole) => wholeTermPattern(whole));
  const identifier = fieldSql(row, "identifier")?.sql ?? "''";
  const foreign = externalIdMatchesSql(search, "external", (whole) => [whole.trim()]);
  return `case when ${identifier} ilike ${term} or ${columnSql(row, "id")} = any(array(${foreign})) then 10000
    when ' ' || ${buildNfcSql(columnSql(row, "title"))} ilike '% ' || ${term} || '%' then 8 when ${identifier} ilike ${term} || '%' then 2 else 0 end`;
}
