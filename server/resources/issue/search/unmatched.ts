import type { Json } from "../../../read/json.ts";
import { organization } from "../../../read/row.ts";
import { newestTexts } from "./newest.ts";
import { RANKED, type Search, tablesOf } from "./parts.ts";
import { queries } from "./queries.ts";

/**
 * JSON of the words that no text has, where the page is empty. Where the index is left alone, the newest texts are asked.
 * Raw SQL: a part of what the read planner writes.
 */
export function unmatchedWords(search: Search): Json {
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
