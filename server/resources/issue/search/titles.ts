import { entityOf, newRow, organization } from "../../../read/row.ts";
import { rowsOf } from "../../searched.ts";
import { RANKED, type Search, shownIf, value } from "./parts.ts";
import { comparedWords } from "./term.ts";

/** Titles that are compared with a word; with several words fewer are. To compare one takes up to 25 microseconds. */
const COMPARED = 1_000;
/** Letters of a title that are compared. */
const TITLE_CHARS = 120;
/** The share of trigrams by which a word is taken for one of a title. */
const SIMILAR = 0.5;

/**
 * SQL of the newest issues whose titles have most of the words, or where nothing else was found any, as they may be misspelled.
 * Raw SQL: a part of what the read planner writes.
 */
export function similarTitles(search: Search, before: readonly string[]): string {
  const words = value(search, "compared", "text[]", comparedWords);
  const rows = value(search, "titles", "integer", (term) =>
    Math.floor(Math.min(COMPARED, rowsOf(search.build)) / Math.max(1, comparedWords(term).length)),
  );
  const row = newRow(search.build, entityOf(search.build, "IssueSearchResult"));
  const { alias } = row;
  const shown = shownIf(search, row);
  const newest = `(select n.* from issue n where n."organizationId" = ${organization(search.build)}
    order by n."createdAt" desc, n.id desc limit ${rows} offset 0)`;
  const nothing = before.map((part) => `not exists (select from ${part})`).join(" and ");
  return `select ${alias}.id, ${alias}."createdAt", (100 * s.closeness)::integer as rank
    from ${newest} ${alias}${row.frame.joins.join("")} cross join lateral (
      select count(*) filter (where c.closeness >= ${SIMILAR}) as close, sum(c.closeness) as closeness
      from (select word_similarity(w, left(${alias}.title, ${TITLE_CHARS})) as closeness from unnest(${words}) w) c offset 0) s
    where (2 * s.close > cardinality(${words}) or (s.close > 0 and ${nothing})) and ${shown.join(" and ")}
    order by s.closeness desc, ${alias}."createdAt" desc, ${alias}.id desc limit ${RANKED}`;
}
