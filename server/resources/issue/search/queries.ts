import { bindOrganization } from "../../../read/row.ts";
import { bindTermValue, type SearchContext, termFormsSql } from "./parts.ts";
import { allWordsQueryFormat, anyWordQueryFormat, mostWordsQueryFormat, type Term } from "./term.ts";

/** Minimum length at which a search word also matches the beginnings of longer words. */
const LEAST_PREFIX = 3;

/**
 * SQL for a row with the text search queries of a term. `each` contains one query per word, `every` requires all words,
 * and `most` requires most words. `plain` and `stems` contain the words themselves and their stems. Raw SQL: a fragment
 * for the read planner.
 */
export function textSearchQueriesSql(search: SearchContext): string {
  const words = termFormsSql(search, "words", ({ words }) => words);
  const without = termFormsSql(search, "without", (term) => term.without.words);
  const every = bindTermValue(search, "every", "text", allWordsQueryFormat);
  const most = bindTermValue(search, "most", "text", mostWordsQueryFormat);
  const any = bindTermValue(search, "any", "text", ({ without: left }) => anyWordQueryFormat(left));
  const written = (list: string, whole: boolean) =>
    `(select array_agg(${queryOf(whole)} order by w.n) as each, array_agg(w.word order by w.n) as plain,
      array_agg(rtrim(coalesce(w.stem, w.word), 'i') order by w.n) as stems from (${wordsWithStems(search, list)}) w)`;
  return `select w.each::tsquery[] as each, w.plain, w.stems, format(${every}, variadic w.each)::tsquery as every,
      format(${most}, variadic w.each)::tsquery as most, format(${any}, variadic x.each)::tsquery as without
    from ${written(words, false)} w, ${written(without, true)} x`;
}

/**
 * SQL for the text search query of one word. The word needs no escaping, because words and stems contain only
 * letters and digits.
 */
const queryOf = (whole: boolean): string =>
  `'(' || ${wordQuery("w.word", whole)} || coalesce(' | ''' || w.stem || '''', '')
    || coalesce(' | ' || ${wordQuery("w.given", whole)}, '') || ')'`;

const wordQuery = (word: string, whole: boolean): string =>
  `'''' || ${word} || '''' || ${whole ? "''" : `case when length(${word}) >= ${LEAST_PREFIX} then ':*' else '' end`}`;

/** SQL for words with stems in the organization's language. A word such as "the" has no stem. */
const wordsWithStems = ({ build }: SearchContext, list: string): string =>
  `select u.n, lower(u.word) as word, lower(u.given) as given, (ts_lexize((select case o."searchLanguage" when 'other' then 'simple'
      else o."searchLanguage" || '_stem' end from organization o where o.id = ${bindOrganization(build)})::regdictionary,
      lower(u.word)))[1] as stem from unnest(${list}) with ordinality u (word, given, n)`;

/** SQL for one column of the row that `textSearchQueriesSql` returns. */
export const textSearchQuerySql = (name: "each" | "every" | "most" | "plain" | "stems" | "without"): string =>
  `(select q.${name} from asked q)`;

/** SQL condition: the term contains words. */
export const hasWordsSql = (search: SearchContext): string =>
  bindTermValue(search, "worded", "boolean", ({ words }: Term) => words.length > 0);
