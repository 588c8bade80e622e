import { organization } from "../../../read/row.ts";
import { bindTermValue, inForms, type Search } from "./parts.ts";
import { anyFormat, everyFormat, mostFormat, type Term } from "./term.ts";

/** Minimum length at which a search word also matches the beginnings of longer words. */
const LEAST_PREFIX = 3;

/**
 * SQL for a row of text search queries for the term: `each` word, `every` word together, and `most` words. `plain`
 * and `stems` are the words themselves. Raw SQL: a fragment for the read planner.
 */
export function queriesSql(search: Search): string {
  const words = inForms(search, "words", ({ words }) => words);
  const without = inForms(search, "without", (term) => term.without.words);
  const every = bindTermValue(search, "every", "text", everyFormat);
  const most = bindTermValue(search, "most", "text", mostFormat);
  const any = bindTermValue(search, "any", "text", ({ without: left }) => anyFormat(left));
  const written = (list: string, whole: boolean) =>
    `(select array_agg(${queryOf(whole)} order by w.n) as each, array_agg(w.word order by w.n) as plain,
      array_agg(rtrim(coalesce(w.stem, w.word), 'i') order by w.n) as stems from (${wordsWithStems(search, list)}) w)`;
  return `select w.each::tsquery[] as each, w.plain, w.stems, format(${every}, variadic w.each)::tsquery as every,
      format(${most}, variadic w.each)::tsquery as most, format(${any}, variadic x.each)::tsquery as without
    from ${written(words, false)} w, ${written(without, true)} x`;
}

/** SQL for the query of a word. Words and stems contain only letters and digits. */
const queryOf = (whole: boolean): string =>
  `'(' || ${wordQuery("w.word", whole)} || coalesce(' | ''' || w.stem || '''', '')
    || coalesce(' | ' || ${wordQuery("w.given", whole)}, '') || ')'`;

const wordQuery = (word: string, whole: boolean): string =>
  `'''' || ${word} || '''' || ${whole ? "''" : `case when length(${word}) >= ${LEAST_PREFIX} then ':*' else '' end`}`;

/** SQL for words with stems in the organization's language. A word such as "the" has no stem. */
const wordsWithStems = ({ build }: Search, list: string): string =>
  `select u.n, lower(u.word) as word, lower(u.given) as given, (ts_lexize((select case o."searchLanguage" when 'other' then 'simple'
      else o."searchLanguage" || '_stem' end from organization o where o.id = ${organization(build)})::regdictionary,
      lower(u.word)))[1] as stem from unnest(${list}) with ordinality u (word, given, n)`;

/** SQL for a value of the row of queries. */
export const querySql = (name: "each" | "every" | "most" | "plain" | "stems" | "without"): string =>
  `(select q.${name} from asked q)`;

/** SQL condition: the term contains words. */
export const hasWords = (search: Search): string =>
  bindTermValue(search, "worded", "boolean", ({ words }: Term) => words.length > 0);
