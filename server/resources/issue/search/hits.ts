import { buildCanonicalSql } from "../../../../db/text/canonical.ts";
import type { Build } from "../../../read/entity.ts";
import { findEntity, newRow, organization, readShape } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import { isIdentifierShape } from "../../../read/shape.ts";
import { maxSearchedRows } from "../../searched.ts";
import { buildIdentifierMatchesSql, buildIdentifierMatchIdsSql } from "./named.ts";
import { newestTexts, oldestReadSql } from "./newest.ts";
import {
  bindTermValue,
  containsAllSql,
  matchingIssuesSql,
  RANKED,
  type Search,
  searchConditions,
  searchedTables,
  type TextTable,
} from "./parts.ts";
import { INDEXED_WORDS, indexedPattern, isIndexed, isWalked, otherWords, walkedRows } from "./patterns.ts";
import { hasWords, queriesSql, querySql } from "./queries.ts";
import { comparedWords, type Term, textsIn } from "./term.ts";

/**
 * Maximum number of titles that are compared with a word; fewer for several words. Comparing a title takes up to 25
 * microseconds.
 */
const COMPARED = 1_000;
/** Number of characters of a title that are compared. */
const TITLE_CHARS = 120;
/** Minimum trigram similarity at which a search word counts as a word of the title. */
const SIMILAR = 0.5;

/**
 * SQL for the newest issues whose titles contain most of the words, including misspelled words. If nothing else was
 * found, titles with any of the words match too. Raw SQL: a fragment for the read planner.
 */
function similarTitles(search: Search, before: readonly string[]): string {
  const words = bindTermValue(search, "compared", "text[]", comparedWords);
  const rows = bindTermValue(search, "titles", "integer", (term) =>
    Math.floor(Math.min(COMPARED, maxSearchedRows(search.build)) / Math.max(1, comparedWords(term).length)),
  );
  const row = newRow(search.build, findEntity(search.build, "IssueSearchResult"));
  const { alias } = row;
  const shown = searchConditions(search, row);
  const newest = `(select n.* from issue n where n."organizationId" = ${organization(search.build)}
    order by n."createdAt" desc, n.id desc limit ${rows} offset 0)`;
  const nothing = before.map((part) => `not exists (select from ${part})`).join(" and ");
  return `select ${alias}.id, ${alias}."createdAt", (100 * s.closeness)::integer as rank
    from ${newest} ${alias}${row.frame.joins.join("")} cross join lateral (
      select count(*) filter (where c.closeness >= ${SIMILAR}) as close, sum(c.closeness) as closeness
      from (select word_similarity(w, left(${buildCanonicalSql(`${alias}.title`)}, ${TITLE_CHARS})) as closeness from unnest(${words}) w) c offset 0) s
    where (2 * s.close > cardinality(${words}) or (s.close > 0 and ${nothing})) and ${shown.join(" and ")}
    order by s.closeness desc, ${alias}."createdAt" desc, ${alias}.id desc limit ${RANKED}`;
}

/** With fewer hits than this, the search continues with less exact methods. */
const ENOUGH = 5;
/** Ranks of the search methods. A title match adds less than the difference between methods. */
const RANK = { words: 8_000, within: 6_000, most: 2_000, word: 150 };
/**
 * Number of the newest texts per table that are compared with one or several words before the index
 * is used. For common words these texts contain enough hits.
 */
const SKIMMED = { one: 2_000, several: 10_000 };

/** A part of a search: the name, the SQL, and the SQL condition for running the part after the earlier parts. */
type Part = readonly [name: string, part: string, gate: string];

/**
 * SQL for the ids of the issues that match a term, each once, with ranks: found through the text indexes or, if a
 * word of the term identifies an issue, by number. Raw SQL: a fragment for the read planner.
 */
export function hitsSql(search: Search): string {
  const { build, selection } = search;
  const asked = `with asked as materialized (${queriesSql(search)})`;
  if (isIdentifierShape(readShape(build, selection).term)) {
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
    order by max(h.rank) desc, max(h."createdAt") desc, h.id desc limit ${RANKED}`;
}

/** SQL condition: the parts found fewer than ENOUGH issues with at least the given rank. */
const few = (from: number, ...parts: string[]): string =>
  `(select count(distinct b.id) from (${parts.map((each) => `select f.id from ${each} f where f.rank >= ${from}`).join(" union all ")}) b) < ${ENOUGH}`;

const all = (search: Search, part: (search: Search, table: TextTable) => string): string =>
  searchedTables(search)
    .map((table) => `(${part(search, table)})`)
    .join(" union all ");

/** Runs each method separately, with the method's index. */
const indexedParts = (search: Search): Part[] => [
  ["worded", all(search, worded), hasWords(search)],
  ["inside", all(search, within), `(not ${hasWords(search)} or ${few(0, "worded")})`],
  ["mostly", all(search, mostly), few(0, "worded", "inside")],
  ["titled", similarTitles(search, ["worded", "inside", "mostly"]), few(0, "worded", "inside", "mostly")],
];

/** Runs all methods in a single scan of the newest texts. */
function newestParts(search: Search): Part[] {
  const found = `with walked as materialized (${all(search, walking)}) select w.* from walked w
    where w.rank >= ${RANK.words} or (w.rank >= ${RANK.within} and ${few(RANK.words, "walked")}) or ${few(RANK.within, "walked")}`;
  return [
    ["near", found, "true"],
    ["titled", similarTitles(search, ["near"]), few(0, "near")],
  ];
}

/** SQL for the time back to which texts were searched without the index; null if all texts were searched. */
export function searchedSince(build: Build, selection: Selection): string {
  const search = { build, selection };
  if (!build.newestAlone && isIdentifierShape(readShape(build, selection).term)) return "null::timestamptz";
  const asked = build.newestAlone ? "true" : bindTermValue(search, "walked", "boolean", isWalked);
  const ends = searchedTables(search).map((table) => oldestReadSql(search, table));
  return `(case when ${asked} then greatest(${ends.join(", ")}) end)`;
}

/** Texts that contain all words: unchanged, in another form, or as the beginning of a longer word. */
function worded(search: Search, table: TextTable): string {
  const holds = [
    `x.words @@ ${querySql("every")}`,
    containsAllSql(search, "x.text", "literals", ({ literals }) => literals),
  ];
  const rank = String(RANK.words);
  const skimmed = bindTermValue(search, "skimmed", "integer", ({ words }) =>
    Math.min(words.length > 1 ? SKIMMED.several : SKIMMED.one, maxSearchedRows(search.build)),
  );
  const rows = newestTexts(search, table, skimmed);
  const newest = matchingIssuesSql(search, { table, rows, rank, each: true }, holds);
  const rest = matchingIssuesSql(search, { table, rows: `"${table}"`, rank }, [
    TOO_FEW,
    ...holds,
    ...patterns(search, "literals"),
  ]);
  return `with walked as materialized (${newest}) select * from walked union all (${rest})`;
}

/** SQL condition: the scanned texts gave fewer hits than the number of ranked hits. */
const TOO_FEW = `(select count(*) from walked) < ${RANKED}`;

/** Texts that contain most words. The index returns the texts unsorted, and sorting all of them would take too long. */
function mostly(search: Search, table: TextTable): string {
  const having = `x.words @@ ${querySql("most")}`;
  const rows = `(select x.* from "${table}" x where x."organizationId" = ${organization(search.build)} and ${having} limit ${RANKED})`;
  return matchingIssuesSql(search, { table, rows, rank: `${RANK.most} + ${COUNTED}`, each: true }, [having]);
}

/** SQL for the additional rank of a text that contains only some of the words. */
const COUNTED = `${RANK.word} * least(20, (select count(*) from unnest(${querySql("each")}) q where f.words @@ q))`;

/** The newest texts that any method finds, best method first. */
function walking(search: Search, table: TextTable): string {
  const literals = containsAllSql(search, "n.text", "literals", (term) => term.literals);
  const way = `case when n.words @@ ${querySql("every")} and ${literals} then ${RANK.words}
    when ${containsAllSql(search, "n.text", "texts", textsIn)} then ${RANK.within} when n.words @@ ${querySql("most")} then ${RANK.most} end`;
  const rows = `(select n.*, ${way} as way from ${newestTexts(search, table)} n offset 0)`;
  const rank = `f.way + case when f.way = ${RANK.most} then ${COUNTED} else 0 end`;
  return matchingIssuesSql(search, { table, rows, rank, way: true, each: true }, ["x.way is not null"]);
}

/**
 * Part of a search for a term that is an identifier. Uses the index only if the index contains part of the term. The
 * statement is prepared for any value; `offset 0` is an optimization fence: without it PostgreSQL scans every text in
 * order of age for the newest matches.
 */
function naming(search: Search, table: TextTable): string {
  const pattern = bindTermValue(search, "pattern.0", "text", (_, whole) => indexedPattern([whole.trim()], 0));
  const rows = `(select * from "${table}" n where n."organizationId" = ${organization(search.build)}
    and n.text ilike ${pattern} offset 0)`;
  return matchingIssuesSql(search, { table, rows, rank: "0", each: true }, []);
}

/**
 * Texts that contain all words unchanged, also inside other words. Scans the newest texts if the index contains no
 * part of the term, and also for several words: if all words are common, the scan finds enough hits. The index is
 * then not used, because it would return most texts.
 */
function within(search: Search, table: TextTable): string {
  const held = containsAllSql(search, "x.text", "texts", textsIn);
  const rank = String(RANK.within);
  // Looks up the issue of each text. A join that loops over issues would compare every text for each issue.
  const walk = bindTermValue(search, "walk", "integer", (term, whole) =>
    walkedRows(term, whole, maxSearchedRows(search.build)),
  );
  const newest = { table, rows: newestTexts(search, table, walk), rank, each: true } as const;
  // A list of patterns contains a single form of each word, so a term in two forms is compared word by word.
  const others = bindTermValue(search, "others", "text[]", (term, _, given) =>
    given ? [] : otherWords(textsIn(term)).map((word) => `%${word}%`),
  );
  const inOtherForms = bindTermValue(search, "others.given", "boolean", (_, __, given) => given !== undefined);
  const indexed = bindTermValue(search, "indexed", "boolean", (term) => isIndexed(textsIn(term)));
  const looked = [
    ...[indexed, TOO_FEW, ...patterns(search, "texts"), `x.text ilike all(${others})`],
    `(not ${inOtherForms} or ${held})`,
  ];
  return `with walked as materialized (${matchingIssuesSql(search, newest, [held])})
    select * from walked union all (${matchingIssuesSql(search, { table, rows: `"${table}"`, rank }, looked)})`;
}

/**
 * SQL conditions that the index can evaluate for a text. PostgreSQL sees a null pattern before planning and omits the
 * condition.
 */
const patterns = (search: Search, of: "literals" | "texts"): string[] =>
  Array.from({ length: INDEXED_WORDS }, (_, n) => {
    const among = (term: Term) => (of === "texts" ? textsIn(term) : term.literals);
    const pattern = bindTermValue(search, `${of}.pattern.${n}`, "text", (term) => indexedPattern(among(term), n));
    const given = bindTermValue(search, `${of}.pattern.${n}.given`, "text", (term, _, other) =>
      other ? indexedPattern(among(term), n, among(other.term)) : null,
    );
    return `(${pattern} is null or x.text ilike ${pattern} or x.text ilike ${given})`;
  });
