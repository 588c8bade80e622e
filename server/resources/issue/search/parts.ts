import { buildCanonicalSql } from "../../../../db/text/canonical.ts";
import { conditionsSql } from "../../../read/connection/connection.ts";
import type { Build, SqlRow } from "../../../read/entity.ts";
import { bind, column, findEntity, inTenantSql, newRow, organization, readShape } from "../../../read/row.ts";
import { type Selection, selectedArguments } from "../../../read/selection.ts";
import { comparable, isAscii, lowerCaseSql } from "../../searched.ts";
import { querySql } from "./queries.ts";
import { type ParsedSearch, parseSearch, type Term } from "./term.ts";

/** Maximum number of ranked hits; the newest hits are ranked. */
export const RANKED = 1_000;

/** Punctuation that may adjoin a word of a title. */
const MARKS = '.,:;!?()[]{}"/-_';

/** A search for which SQL is being written. */
export interface Search {
  build: Build;
  selection: Selection;
}

/** A table of searched texts. */
export type TextTable = "issueText" | "commentText";

/** Returns the tables that a search reads. */
export const searchedTables = ({ build, selection }: Search): TextTable[] =>
  readShape(build, selection).includeComments === true ? ["issueText", "commentText"] : ["issueText"];

/**
 * Searched texts and their table. `rank` is SQL for the quality of a match. With `each`, the issue of each matching
 * text is looked up separately.
 */
export interface SearchedTexts {
  table: TextTable;
  rows: string;
  rank: string;
  /** The texts have a column `way`; texts with the highest value come first. */
  way?: true;
  each?: true;
}

/**
 * SQL for the issues whose text, or whose comments' text, satisfies conditions about `x`. Raw SQL: a fragment for the
 * read planner.
 */
export function matchingIssuesSql(
  search: Search,
  { table, rows, rank, way, each }: SearchedTexts,
  conditions: readonly string[],
): string {
  const org = organization(search.build);
  const row = newRow(search.build, findEntity(search.build, "IssueSearchResult"));
  const { alias } = row;
  const shown = searchConditions(search, row);
  const comment = `c."organizationId" = ${org} and c.id = x.id`;
  const ofComment = each
    ? ` cross join lateral (select * from comment c where ${comment} offset 0) c`
    : ` join comment c on ${comment}`;
  const [through, id] = table === "commentText" ? [ofComment, `c."issueId"`] : ["", "x.id"];
  const own = `${alias}."organizationId" = ${org} and ${alias}.id = ${id}`;
  const issue = each
    ? ` cross join lateral (select * from issue ${alias} where ${own} offset 0) ${alias}`
    : ` join issue ${alias} on ${own}`;
  return `select f.id, f."createdAt", ${rank} + ${titleRank("f.title")} as rank from (
    select ${alias}.id, ${alias}."createdAt", ${alias}.title, x.words${way ? ", x.way" : ""} from ${rows} x${through}${issue}${row.frame.joins.join("")}
    where x."organizationId" = ${org} and ${[...conditions, ...shown].join(" and ")}
    order by ${way ? "x.way desc, " : ""}x."createdAt" desc, x.id desc limit ${RANKED}) f`;
}

/**
 * SQL for the rank of a title: the number of words in the title, weighted by the match (the word itself, another
 * form, or part of a word).
 */
export const titleRank = (title: string): string =>
  `(select coalesce(sum(case when t.bare like '% ' || w.word || ' %' then 10 when t.bare like '% ' || w.stem || '%' then 8
      when strpos(t.bare, w.word) > 0 then 4 else 0 end), 0)
    from (select ' ' || translate(lower(${buildCanonicalSql(title)}), '${MARKS}', repeat(' ', ${MARKS.length})) || ' ' as bare offset 0) t,
      unnest(${querySql("plain")}, ${querySql("stems")}) w (word, stem))`;

/**
 * SQL for the found issues with ranks. Each issue is looked up separately: a prepared statement assumes an
 * organization of average size, and would read all issues of a large organization.
 */
export function rankedIssuesSql(search: Search, hits: string, bonus: (row: SqlRow) => string): string {
  const row = newRow(search.build, findEntity(search.build, "IssueSearchResult"));
  const { alias } = row;
  const rank = `(h.rank + ${bonus(row)})::integer`;
  const conditions = [inTenantSql(row), `${column(row, "id")} = h.id`, ...teamIf(search, row)];
  return `select i.* from (${hits}) h, lateral (select ${alias}.*, ${rank} as rank from issue ${alias}${row.frame.joins.join("")}
    where ${conditions.join(" and ")} offset 0) i`;
}

/** SQL conditions of the other arguments, and of words that an issue must not contain. */
export function searchConditions(search: Search, row: SqlRow): string[] {
  const { build, selection } = search;
  const conditions = conditionsSql(row, selection.argumentIndex, readShape(build, selection));
  const excludes = bindTermValue(
    search,
    "excludes",
    "boolean",
    ({ without }) => without.words.length + without.literals.length > 0,
  );
  const left = holdsAny(search, "e.text", "without.literals", ({ without }) => without.literals);
  const excluded = `exists (select from "issueText" e where e."organizationId" = ${organization(build)}
    and e.id = ${column(row, "id")} and (coalesce(e.words @@ ${querySql("without")}, false) or ${left}))`;
  return ["true", ...conditions, ...teamIf(search, row), `(not ${excludes} or not ${excluded})`];
}

const teamIf = ({ build, selection }: Search, row: SqlRow): string[] =>
  readShape(build, selection).teamId === undefined ? [] : [inTeam(row, selection)];

const inTeam = (row: SqlRow, selection: Selection): string => {
  const team = bind(row.build, `${selection.argumentIndex}.teamId`, "text", ({ args }) =>
    // No id or key is longer, so the cut text matches no team.
    String(selectedArguments(selection, args).teamId).slice(0, 300),
  );
  return `(${column(row, "teamId")}::text = lower(${team}) or ${column(row, "teamId")} = (select k."teamId" from "teamKey" k
    where k."organizationId" = ${organization(row.build)} and k.key = upper(${team})))`;
};

type Texts = (term: Term, whole: string) => readonly string[];

/**
 * SQL condition: a text contains all of several texts, ignoring case. For an empty list the database does not read
 * the text.
 */
export const containsAllSql = (search: Search, text: string, key: string, of: Texts): string => {
  const { among } = held(search, text, key, of);
  const none = bindTermValue(search, `${key}.none`, "boolean", (term, whole) => of(term, whole).length === 0);
  return `(${none} or (select bool_and(${IS_HELD}) from ${among} l))`;
};

/** SQL condition: a text contains any of several texts. */
const holdsAny = (search: Search, text: string, key: string, of: Texts): string =>
  `exists (select from ${held(search, text, key, of).among} l where ${IS_HELD})`;

/** SQL condition: the text of a pair contains the wanted text in any form. */
const IS_HELD = "(strpos(l.text, l.wanted) > 0 or coalesce(strpos(l.text, l.given), 0) > 0)";

/** SQL for texts from the term, in canonical form and, if different, as sent: two lists for `unnest`. */
export const inForms = (search: Search, key: string, of: Texts): string =>
  [
    bindTermValue(search, key, "text[]", (term, whole) => of(term, whole).map(comparable)),
    bindTermValue(
      search,
      `${key}.given`,
      "text[]",
      (_, __, given) => given && of(given.term, given.whole).map(comparable),
    ),
  ].join(", ");

/** Pairs of the text, which is folded once, and each wanted text. */
function held(search: Search, text: string, key: string, of: Texts) {
  const ascii = bindTermValue(search, `${key}.ascii`, "boolean", (term, whole) => of(term, whole).every(isAscii));
  const among = `(select t.text, ${lowerCaseSql("w", ascii)} as wanted, ${lowerCaseSql("g", ascii)} as given
    from (select ${lowerCaseSql(text, ascii)} as text offset 0) t, unnest(${inForms(search, key, of)}) u (w, g))`;
  return { among };
}

/** Binds a value that is computed from the term. @throws inputError for a term without searchable content. */
export const bindTermValue = (
  { build, selection }: Search,
  key: string,
  cast: string,
  of: (term: Term, whole: string, given: ParsedSearch["given"]) => unknown,
): string =>
  bind(build, `${selection.argumentIndex}.search.${key}`, cast, ({ args }) => {
    const { term, whole, given }: ParsedSearch = parseSearch(selectedArguments(selection, args));
    return of(term, whole, given) ?? null;
  });
