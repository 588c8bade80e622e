import { buildNfcSql } from "../../../../db/text/canonical.ts";
import type { StatementBuild } from "../../../read/entity.ts";
import { bindOrganization, findEntity, getArgumentShape, newRow } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import { isIdentifierShape } from "../../../read/shape.ts";
import { maxSearchedRows } from "../../searched.ts";
import { buildIdentifierMatchesSql, buildIdentifierMatchIdsSql } from "./named.ts";
import { newestTextsSql, oldestSearchedTimeSql } from "./newest.ts";
import {
  bindTermValue,
  containsAllSql,
  MAX_RANKED_HITS,
  matchingIssuesSql,
  type SearchContext,
  searchConditions,
  searchedTables,
  type TextTable,
} from "./parts.ts";
import {
  countTextsToScan,
  findUnindexedWords,
  hasIndexedWord,
  INDEXED_WORDS,
  indexedPattern,
  needsTextScan,
} from "./patterns.ts";
import { hasWordsSql, textSearchQueriesSql, textSearchQuerySql } from "./queries.ts";
import { listRequiredTexts, selectTrigramWords, type Term } from "./term.ts";

/**
 * Maximum number of comparisons of a search word with a title. For several words, fewer titles are therefore compared.
 * A comparison takes up to 25 microseconds.
 */
const COMPARED = 1_000;
/** Number of characters of a title that are compared. */
const TITLE_CHARS = 120;
/** Minimum trigram similarity at which a search word counts as a word of the title. */
const SIMILAR = 0.5;

/**
 * SQL for the newest issues whose titles contain most of the search words. Misspelled words also match. If the search
 * methods before found nothing, titles with any of the words match too. Raw SQL: a fragment for the read planner.
 */
function similarTitles(search: SearchContext, before: readonly string[]): string {
  const words = bindTermValue(search, "compared", "text[]", selectTrigramWords);
  const rows = bindTermValue(search, "titles", "integer", (term) =>
    Math.floor(Math.min(COMPARED, maxSearchedRows(search.build)) / Math.max(1, selectTrigramWords(term).length)),
  );
  const row = newRow(search.build, findEntity(search.build, "IssueSearchResult"));
  const { alias } = row;
  const shown = searchConditions(search, row);
  const newest = `(select n.* from issue n where n."organizationId" = ${bindOrganization(search.build)}
    order by n."createdAt" desc, n.id desc limit ${rows} offset 0)`;
  const nothing = before.map((part) => `not exists (select from ${part})`).join(" and ");
  return `select ${alias}.id, ${alias}."createdAt", (100 * s.closeness)::integer as rank
    from ${newest} ${alias}${row.frame.joins.join("")} cross join lateral (
      select count(*) filter (where c.closeness >= ${SIMILAR}) as close, sum(c.closeness) as closeness
      from (select word_similarity(w, left(${buildNfcSql(`${alias}.title`)}, ${TITLE_CHARS})) as closeness from unnest(${words}) w) c offset 0) s
    where (2 * s.close > cardinality(${words}) or (s.close > 0 and ${nothing})) and ${shown.join(" and ")}
    order by s.closeness desc, ${alias}."createdAt" desc, ${alias}.id desc limit ${MAX_RANKED_HITS}`;
}

/**
 * If the search methods so far have found fewer issues than this number together, the search continues with a less
 * exact method.
 */
const ENOUGH = 5;
/**
 * Points for a match by each search method. The points for words in the title are fewer than the difference between two
 * methods, so a title match never outranks a better method.
 */
const RANK = { words: 8_000, within: 6_000, most: 2_000, word: 150 };
/**
 * Number of the newest texts per table that are compared directly before the search uses the index, for one word
 * and for several words. For common words, these texts already contain enough matches.
 */
const SKIMMED = { one: 2_000, several: 10_000 };

/**
 * A step of a search: the name, the SQL, and an SQL condition, mostly on the results of earlier steps. The step runs
 * only if the condition is true.
 */
type Part = readonly [name: string, part: string, gate: string];

/**
 * SQL for the ids and ranks of the issues that match a term; each issue appears once. The issues are found in their
 * texts, through the index or by a scan of the newest texts. If a word of the term identifies issues, they are also
 * found by number or external id. Raw SQL: a fragment for the read planner.
 */
export function hitsSql(search: SearchContext): string {
  const { build, selection } = search;
  const asked = `with asked as materialized (${textSearchQueriesSql(search)})`;
  if (isIdentifierShape(getArgumentShape(build, selection).term)) {
    const texts = searchedTables(search).map((table) => (build.newestAlone ? walking : naming)(search, table));
    const ids = [...texts.map((text) => `select h.id from (${text}) h`), ...buildIdentifierMatchIdsSql(search)];
    return `${asked} select h.id, 0 as rank from (${ids.join(" union ")}) h`;
  }
  const parts = [
    ...(build.newestAlone ? newestParts : indexedParts)(search),
    ["named", buildIdentifierMatchesSql(search, RANK.words), "true"],
  ];
  const written = parts.map(
    ([name, part, gate]) => `${name} as materialized (select p.* from (${part}) p where ${gate})`,
  );
  const found = parts.map(([name]) => `select f.id, f."createdAt", f.rank from ${name} f`).join(" union all ");
  return `${asked}, ${written.join(", ")} select h.id, max(h.rank) as rank from (${found}) h group by h.id
    order by max(h.rank) desc, max(h."createdAt") desc, h.id desc limit ${MAX_RANKED_HITS}`;
}

/** SQL condition: the parts found fewer than ENOUGH issues with at least the given rank. */
const few = (from: number, ...parts: string[]): string =>
  `(select count(distinct b.id) from (${parts.map((each) => `select f.id from ${each} f where f.rank >= ${from}`).join(" union all ")}) b) < ${ENOUGH}`;

const all = (search: SearchContext, part: (search: SearchContext, table: TextTable) => string): string =>
  searchedTables(search)
    .map((table) => `(${part(search, table)})`)
    .join(" union all ");

/** Runs each method separately, with the method's index. */
const indexedParts = (search: SearchContext): Part[] => [
  ["worded", all(search, worded), hasWordsSql(search)],
  ["inside", all(search, within), `(not ${hasWordsSql(search)} or ${few(0, "worded")})`],
  ["mostly", all(search, mostly), few(0, "worded", "inside")],
  ["titled", similarTitles(search, ["worded", "inside", "mostly"]), few(0, "worded", "inside", "mostly")],
];

/** Runs all methods in a single scan of the newest texts. */
function newestParts(search: SearchContext): Part[] {
  const found = `with walked as materialized (${all(search, walking)}) select w.* from walked w
    where w.rank >= ${RANK.words} or (w.rank >= ${RANK.within} and ${few(RANK.words, "walked")}) or ${few(RANK.within, "walked")}`;
  return [
    ["near", found, "true"],
    ["titled", similarTitles(search, ["near"]), few(0, "near")],
  ];
}

/** SQL for the time back to which a search without the index has read all texts; null if all texts were searched. */
export function searchedSinceSql(build: StatementBuild, selection: Selection): string {
  const search = { build, selection };
  if (!build.newestAlone && isIdentifierShape(getArgumentShape(build, selection).term)) return "null::timestamptz";
  const asked = build.newestAlone ? "true" : bindTermValue(search, "walked", "boolean", needsTextScan);
  const ends = searchedTables(search).map((table) => oldestSearchedTimeSql(search, table));
  return `(case when ${asked} then greatest(${ends.join(", ")}) end)`;
}

/** Texts that contain all words: unchanged, in another form, or as the beginning of a longer word. */
function worded(search: SearchContext, table: TextTable): string {
  const holds = [
    `x.words @@ ${textSearchQuerySql("every")}`,
    containsAllSql(search, "x.text", "literals", ({ literals }) => literals),
  ];
  const rank = String(RANK.words);
  const skimmed = bindTermValue(search, "skimmed", "integer", ({ words }) =>
    Math.min(words.length > 1 ? SKIMMED.several : SKIMMED.one, maxSearchedRows(search.build)),
  );
  const rows = newestTextsSql(search, table, skimmed);
  const newest = matchingIssuesSql(search, { table, rows, rank, each: true }, holds);
  const rest = matchingIssuesSql(search, { table, rows: `"${table}"`, rank }, [
    TOO_FEW,
    ...holds,
    ...patterns(search, "literals"),
  ]);
  return `with walked as materialized (${newest}) select * from walked union all (${rest})`;
}

/** SQL condition: the scan of the newest texts found fewer matches than the maximum number of ranked matches. */
const TOO_FEW = `(select count(*) from walked) < ${MAX_RANKED_HITS}`;

/** Texts that contain most words. The index returns the texts unsorted, and sorting all of them would take too long. */
function mostly(search: SearchContext, table: TextTable): string {
  const having = `x.words @@ ${textSearchQuerySql("most")}`;
  const rows = `(select x.* from "${table}" x where x."organizationId" = ${bindOrganization(search.build)} and ${having} limit ${MAX_RANKED_HITS})`;
  return matchingIssuesSql(search, { table, rows, rank: `${RANK.most} + ${COUNTED}`, each: true }, [having]);
}

/** SQL for the additional rank of a text that contains only some of the words. */
const COUNTED = `${RANK.word} * least(20, (select count(*) from unnest(${textSearchQuerySql("each")}) q where f.words @@ q))`;

/** SQL for issues with matches in the newest texts by any search method. Matches by the best method come first. */
function walking(search: SearchContext, table: TextTable): string {
  const literals = containsAllSql(search, "n.text", "literals", (term) => term.literals);
  const way = `case when n.words @@ ${textSearchQuerySql("every")} and ${literals} then ${RANK.words}
    when ${containsAllSql(search, "n.text", "texts", listRequiredTexts)} then ${RANK.within} when n.words @@ ${textSearchQuerySql("most")} then ${RANK.most} end`;
  const rows = `(select n.*, ${way} as way from ${newestTextsSql(search, table)} n offset 0)`;
  const rank = `f.way + case when f.way = ${RANK.most} then ${COUNTED} else 0 end`;
  return matchingIssuesSql(search, { table, rows, rank, way: true, each: true }, ["x.way is not null"]);
}

/**
 * SQL for issues whose texts contain a term that is an identifier. The SQL uses the index only if the index contains
 * part of the term. The statement is prepared for any value. `offset 0` is an optimization fence: without it PostgreSQL
 * scans every text in order of age for the newest matches.
 */
function naming(search: SearchContext, table: TextTable): string {
  const pattern = bindTermValue(search, "pattern.0", "text", (_, whole) => indexedPattern([whole.trim()], 0));
  const rows = `(select * from "${table}" n where n."organizationId" = ${bindOrganization(search.build)}
    and n.text ilike ${pattern} offset 0)`;
  return matchingIssuesSql(search, { table, rows, rank: "0", each: true }, []);
}

/**
 * SQL for issues whose texts contain all words unchanged, also inside other words. For several words, and if the index
 * contains no part of the term, the SQL scans the newest texts first. If all words are common, the scan finds enough
 * matches; the index is then not used, because the index would return most texts.
 */
function within(search: SearchContext, table: TextTable): string {
  const held = containsAllSql(search, "x.text", "texts", listRequiredTexts);
  const rank = String(RANK.within);
  // `each` looks up the issue of each text separately. A join could loop over issues, and would then compare every text
  // for each issue.
  const walk = bindTermValue(search, "walk", "integer", (term, whole) =>
    countTextsToScan(term, whole, maxSearchedRows(search.build)),
  );
  const newest = { table, rows: newestTextsSql(search, table, walk), rank, each: true } as const;
  // `ilike all` compares only one form of each word. If the term has two forms (canonical and as sent), the SQL
  // therefore compares each word separately.
  const others = bindTermValue(search, "others", "text[]", (term, _, given) =>
    given ? [] : findUnindexedWords(listRequiredTexts(term)).map((word) => `%${word}%`),
  );
  const inOtherForms = bindTermValue(search, "others.given", "boolean", (_, __, given) => given !== undefined);
  const indexed = bindTermValue(search, "indexed", "boolean", (term) => hasIndexedWord(listRequiredTexts(term)));
  const looked = [
    ...[indexed, TOO_FEW, ...patterns(search, "texts"), `x.text ilike all(${others})`],
    `(not ${inOtherForms} or ${held})`,
  ];
  return `with walked as materialized (${matchingIssuesSql(search, newest, [held])})
    select * from walked union all (${matchingIssuesSql(search, { table, rows: `"${table}"`, rank }, looked)})`;
}

/**
 * SQL conditions that the index can evaluate for a text. If a pattern is null, PostgreSQL knows this before planning
 * and omits the condition.
 */
const patterns = (search: SearchContext, of: "literals" | "texts"): string[] =>
  Array.from({ length: INDEXED_WORDS }, (_, n) => {
    const among = (term: Term) => (of === "texts" ? listRequiredTexts(term) : term.literals);
    const pattern = bindTermValue(search, `${of}.pattern.${n}`, "text", (term) => indexedPattern(among(term), n));
    const given = bindTermValue(search, `${of}.pattern.${n}.given`, "text", (term, _, other) =>
      other ? indexedPattern(among(term), n, among(other.term)) : null,
    );
    return `(${pattern} is null or x.text ilike ${pattern} or x.text ilike ${given})`;
  });
