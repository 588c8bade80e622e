import { organization } from "../../../read/row.ts";
import { type Search, value } from "./parts.ts";
import { anyFormat, everyFormat, mostFormat, type Term } from "./term.ts";

/** Letters that the beginning of a word must have to stand for it. */
const LEAST_PREFIX = 3;

/**
 * SQL of one row of what the words of the term ask for, as queries of PostgreSQL's text search: `each` of them, `every`
 * one together, and `most` of them. `plain` and `stems` are the words themselves. Raw SQL: a part of what the read planner writes.
 */
export function queries(search: Search): string {
  const words = value(search, "words", "text[]", ({ words }) => words);
  const without = value(search, "without", "text[]", (term) => term.without.words);
  const every = value(search, "every", "text", everyFormat);
  const most = value(search, "most", "text", mostFormat);
  const any = value(search, "any", "text", ({ without: left }) => anyFormat(left));
  const written = (list: string, whole: boolean) =>
    `(select array_agg(${queryOf(whole)} order by w.n) as each, array_agg(w.word order by w.n) as plain,
      array_agg(rtrim(coalesce(w.stem, w.word), 'i') order by w.n) as stems from (${wordsWithStems(search, list)}) w)`;
  return `select w.each::tsquery[] as each, w.plain, w.stems, format(${every}, variadic w.each)::tsquery as every,
      format(${most}, variadic w.each)::tsquery as most, format(${any}, variadic x.each)::tsquery as without
    from ${written(words, false)} w, ${written(without, true)} x`;
}

/** SQL of the query of one word. It has letters and digits alone, and so has its stem. */
const queryOf = (whole: boolean): string =>
  `'(''' || w.word || '''' || ${whole ? "''" : `case when length(w.word) >= ${LEAST_PREFIX} then ':*' else '' end`}
    || coalesce(' | ''' || w.stem || '''', '') || ')'`;

/** SQL of the words of a list with their stems in the language of the organization; a word such as "the" has none. */
const wordsWithStems = ({ build }: Search, list: string): string =>
  `select u.n, lower(u.word) as word, (ts_lexize((select case o."searchLanguage" when 'other' then 'simple'
      else o."searchLanguage" || '_stem' end from organization o where o.id = ${organization(build)})::regdictionary,
      lower(u.word)))[1] as stem from unnest(${list}) with ordinality u (word, n)`;

/** SQL of a value of the row of queries. */
export const query = (name: "each" | "every" | "most" | "plain" | "stems" | "without"): string =>
  `(select q.${name} from asked q)`;

/** SQL of whether the term has words. */
export const hasWords = (search: Search): string =>
  value(search, "worded", "boolean", ({ words }: Term) => words.length > 0);
