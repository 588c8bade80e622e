import { buildNfcSql } from "../../../../db/text/canonical.ts";
import { conditionsSql } from "../../../read/connection/connection.ts";
import type { SqlRow, StatementBuild } from "../../../read/entity.ts";
import {
  bindOrganization,
  bindParameter,
  columnSql,
  findEntity,
  getArgumentShape,
  isReadableByCallerSql,
  newRow,
} from "../../../read/row.ts";
import { type Selection, selectedArguments } from "../../../read/selection.ts";
import { isAscii, lowerCaseIfAscii, lowerCaseSql } from "../../searched.ts";
import { textSearchQuerySql } from "./queries.ts";
import { type ParsedSearch, parseSearch, type Term } from "./term.ts";

/** Maximum number of ranked hits; the newest hits are ranked. */
export const MAX_RANKED_HITS = 1_000;

/** Punctuation that may stand directly before or after a word in a title. */
const MARKS = '.,:;!?()[]{}"/-_';

/** A search for which SQL is being written. */
export interface SearchContext {
  build: StatementBuild;
  selection: Selection;
}

/** A table of searched texts. */
export type TextTable = "issueText" | "commentText";

/** Returns the tables that a search reads. */
export const searchedTables = ({ build, selection }: SearchContext): TextTable[] =>
  getArgumentShape(build, selection).includeComments === true ? ["issueText", "commentText"] : ["issueText"];

/**
 * Searched texts and their table. `rank` is SQL for the quality of a match. With `each`, the issue of each matching
 * text is looked up separately.
 */
export interface SearchedTexts {
  table: TextTable;
  rows: string;
  rank: string;
  /**
   * True if the texts have a column `way`, the points of the search method. Texts with the highest value come first.
   */
  way?: true;
  each?: true;
}

/**
 * SQL for issues that have a text `x`, their own text or the text of a comment, that satisfies the conditions. Raw SQL:
 * a fragment for the read planner.
 */
export function matchingIssuesSql(
  search: SearchContext,
  { table, rows, rank, way, each }: SearchedTexts,
  conditions: readonly string[],
): string {
  const org = bindOrganization(search.build);
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
  return `select f.id, f."createdAt", ${rank} + ${titleRankSql("f.title")} as rank from (
    select ${alias}.id, ${alias}."createdAt", ${alias}.title, x.words${way ? ", x.way" : ""} from ${rows} x${through}${issue}${row.frame.joins.join("")}
    where x."organizationId" = ${org} and ${[...conditions, ...shown].join(" and ")}
    order by ${way ? "x.way desc, " : ""}x."createdAt" desc, x.id desc limit ${MAX_RANKED_HITS}) f`;
}

/**
 * SQL for the points of a title. Each search word in the title gives points: most for the word itself, fewer for
 * another form, and fewest for a part of a longer word.
 */
export const titleRankSql = (title: string): string =>
  `(select coalesce(sum(case when t.bare like '% ' || w.word || ' %' then 10 when t.bare like '% ' || w.stem || '%' then 8
      when strpos(t.bare, w.word) > 0 then 4 else 0 end), 0)
    from (select ' ' || translate(lower(${buildNfcSql(title)}), '${MARKS}', repeat(' ', ${MARKS.length})) || ' ' as bare offset 0) t,
      unnest(${textSearchQuerySql("plain")}, ${textSearchQuerySql("stems")}) w (word, stem))`;

/**
 * SQL for the found issues with their ranks. The SQL looks up each issue separately, because PostgreSQL plans a
 * prepared statement for an organization of average size. Otherwise PostgreSQL would read all issues of a large
 * organization.
 */
export function rankedIssuesSql(search: SearchContext, hits: string, bonus: (row: SqlRow) => string): string {
  const row = newRow(search.build, findEntity(search.build, "IssueSearchResult"));
  const { alias } = row;
  const rank = `(h.rank + ${bonus(row)})::integer`;
  const conditions = [isReadableByCallerSql(row), `${columnSql(row, "id")} = h.id`, ...teamIf(search, row)];
  return `select i.* from (${hits}) h, lateral (select ${alias}.*, ${rank} as rank from issue ${alias}${row.frame.joins.join("")}
    where ${conditions.join(" and ")} offset 0) i`;
}

/** Returns SQL conditions for the arguments other than the term, and for words that an issue must not contain. */
export function searchConditions(search: SearchContext, row: SqlRow): string[] {
  const { build, selection } = search;
  const conditions = conditionsSql(row, selection.argumentIndex, getArgumentShape(build, selection));
  const excludes = bindTermValue(
    search,
    "excludes",
    "boolean",
    ({ without }) => without.words.length + without.literals.length > 0,
  );
  const left = holdsAny(search, "e.text", "without.literals", ({ without }) => without.literals);
  const excluded = `exists (select from "issueText" e where e."organizationId" = ${bindOrganization(build)}
    and e.id = ${columnSql(row, "id")} and (coalesce(e.words @@ ${textSearchQuerySql("without")}, false) or ${left}))`;
  return ["true", ...conditions, ...teamIf(search, row), `(not ${excludes} or not ${excluded})`];
}

const teamIf = ({ build, selection }: SearchContext, row: SqlRow): string[] =>
  getArgumentShape(build, selection).teamId === undefined ? [] : [inTeam(row, selection)];

const inTeam = (row: SqlRow, selection: Selection): string => {
  const team = bindParameter(row.build, `${selection.argumentIndex}.teamId`, "text", ({ args }) =>
    // Cuts the value to 300 characters. Ids and keys of teams are shorter, so a value that was cut matches no team.
    String(selectedArguments(selection, args).teamId).slice(0, 300),
  );
  return `(${columnSql(row, "teamId")}::text = lower(${team}) or ${columnSql(row, "teamId")} = (select k."teamId" from "teamKey" k
    where k."organizationId" = ${bindOrganization(row.build)} and k.key = upper(${team})))`;
};

type Texts = (term: Term, whole: string) => readonly string[];

/**
 * SQL condition: a text contains all of several texts, ignoring case. For an empty list the database does not read
 * the text.
 */
export const containsAllSql = (search: SearchContext, text: string, key: string, of: Texts): string => {
  const { among } = held(search, text, key, of);
  const none = bindTermValue(search, `${key}.none`, "boolean", (term, whole) => of(term, whole).length === 0);
  return `(${none} or (select bool_and(${IS_HELD}) from ${among} l))`;
};

/** SQL condition: a text contains any of several texts. */
const holdsAny = (search: SearchContext, text: string, key: string, of: Texts): string =>
  `exists (select from ${held(search, text, key, of).among} l where ${IS_HELD})`;

/** SQL condition on a row `l`: the text contains the wanted text, in canonical form or as sent. */
const IS_HELD = "(strpos(l.text, l.wanted) > 0 or coalesce(strpos(l.text, l.given), 0) > 0)";

/**
 * SQL for two lists of texts from the term, as arguments of `unnest`: the texts in canonical form, and the texts as
 * sent. The second list is null if the forms do not differ.
 */
export const termFormsSql = (search: SearchContext, key: string, of: Texts): string =>
  [
    bindTermValue(search, key, "text[]", (term, whole) => of(term, whole).map(lowerCaseIfAscii)),
    bindTermValue(
      search,
      `${key}.given`,
      "text[]",
      (_, __, given) => given && of(given.term, given.whole).map(lowerCaseIfAscii),
    ),
  ].join(", ");

/** Returns SQL for rows that pair the text with each wanted text. The text is converted to lower case only once. */
function held(search: SearchContext, text: string, key: string, of: Texts) {
  const ascii = bindTermValue(search, `${key}.ascii`, "boolean", (term, whole) => of(term, whole).every(isAscii));
  const among = `(select t.text, ${lowerCaseSql("w", ascii)} as wanted, ${lowerCaseSql("g", ascii)} as given
    from (select ${lowerCaseSql(text, ascii)} as text offset 0) t, unnest(${termFormsSql(search, key, of)}) u (w, g))`;
  return { among };
}

/** Binds a value that is computed from the term. @throws inputError for a term without searchable content. */
export const bindTermValue = (
  { build, selection }: SearchContext,
  key: string,
  cast: string,
  of: (term: Term, whole: string, given: ParsedSearch["given"]) => unknown,
): string =>
  bindParameter(build, `${selection.argumentIndex}.search.${key}`, cast, ({ args }) => {
    const { term, whole, given }: ParsedSearch = parseSearch(selectedArguments(selection, args));
    return of(term, whole, given) ?? null;
  });
