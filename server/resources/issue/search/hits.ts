import type { Build } from "../../../read/entity.ts";
import { entityOf, newRow, organization, shapeOf } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import { isIdentifierShape } from "../../../read/shape.ts";
import { rowsOf } from "../../searched.ts";
import { named, namedAlone } from "./named.ts";
import { newestTexts, reached } from "./newest.ts";
import { holdsAll, issuesOf, RANKED, type Search, shownIf, type TextTable, tablesOf, value } from "./parts.ts";
import { INDEXED_WORDS, indexedPattern, isIndexed, isWalked, otherWords, walkedRows } from "./patterns.ts";
import { hasWords, queries, query } from "./queries.ts";
import { comparedWords, textsIn } from "./term.ts";

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
function similarTitles(search: Search, before: readonly string[]): string {
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

/** With fewer hits than this the search goes on, in less exact ways. */
const ENOUGH = 5;
/** Ranks of the ways to find an issue. Its title adds less than the steps between them. */
const RANK = { words: 8_000, within: 6_000, most: 2_000, word: 150 };
/** The newest texts of each table, which are compared with a word, and with several, before the index is asked: of common words they are enough. */
const SKIMMED = { one: 2_000, several: 10_000 };

/** A part of a search under its name, and SQL of whether it is needed after those before it. */
type Part = readonly [name: string, part: string, gate: string];

/**
 * SQL of the ids of the issues that a term finds, each once, with their ranks: by the indexes of texts or, where a part of the
 * term names an issue, by its number. Raw SQL: a part of what the read planner writes.
 */
export function hits(search: Search): string {
  const { build, selection } = search;
  const asked = `with asked as materialized (${queries(search)})`;
  if (isIdentifierShape(shapeOf(build, selection).term)) {
    const texts = tablesOf(search).map((table) => (build.newestAlone ? walking : naming)(search, table));
    const ids = [...texts.map((text) => `select h.id from (${text}) h`), ...namedAlone(search)];
    return `${asked} select h.id, 0 as rank from (${ids.join(" union ")}) h`;
  }
  const parts = [
    ...(build.newestAlone ? newestParts : indexedParts)(search),
    ["named", named(search, RANK.words), "true"],
  ];
  const written = parts.map(
    ([name, part, gate]) => `${name} as materialized (select p.* from (${part}) p where ${gate})`,
  );
  const found = parts.map(([name]) => `select f.id, f."createdAt", f.rank from ${name} f`).join(" union all ");
  return `${asked}, ${written.join(", ")} select h.id, max(h.rank) as rank from (${found}) h group by h.id
    order by max(h.rank) desc, max(h."createdAt") desc, h.id desc limit ${RANKED}`;
}

/** SQL of whether parts found fewer issues than enough, from a rank on. */
const few = (from: number, ...parts: string[]): string =>
  `(select count(distinct b.id) from (${parts.map((each) => `select f.id from ${each} f where f.rank >= ${from}`).join(" union all ")}) b) < ${ENOUGH}`;

const all = (search: Search, part: (search: Search, table: TextTable) => string): string =>
  tablesOf(search)
    .map((table) => `(${part(search, table)})`)
    .join(" union all ");

/** Each way by itself, with the index that it has. */
const indexedParts = (search: Search): Part[] => [
  ["worded", all(search, worded), hasWords(search)],
  ["inside", all(search, within), `(not ${hasWords(search)} or ${few(0, "worded")})`],
  ["mostly", all(search, mostly), few(0, "worded", "inside")],
  ["titled", similarTitles(search, ["worded", "inside", "mostly"]), few(0, "worded", "inside", "mostly")],
];

/** All ways by one walk over the newest texts. */
function newestParts(search: Search): Part[] {
  const found = `with walked as materialized (${all(search, walking)}) select w.* from walked w
    where w.rank >= ${RANK.words} or (w.rank >= ${RANK.within} and ${few(RANK.words, "walked")}) or ${few(RANK.within, "walked")}`;
  return [
    ["near", found, "true"],
    ["titled", similarTitles(search, ["near"]), few(0, "near")],
  ];
}

/** SQL of how far back was looked where the index was not asked; null when to the end. */
export function searchedSince(build: Build, selection: Selection): string {
  const search = { build, selection };
  if (!build.newestAlone && isIdentifierShape(shapeOf(build, selection).term)) return "null::timestamptz";
  const asked = build.newestAlone ? "true" : value(search, "walked", "boolean", isWalked);
  const ends = tablesOf(search).map((table) => reached(search, table));
  return `(case when ${asked} then greatest(${ends.join(", ")}) end)`;
}

/** Texts that have all words, each as it is, in another form or as the beginning of a longer one. */
function worded(search: Search, table: TextTable): string {
  const holds = [`x.words @@ ${query("every")}`, holdsAll(search, "x.text", "literals", ({ literals }) => literals)];
  const rank = String(RANK.words);
  const skimmed = value(search, "skimmed", "integer", ({ words }) =>
    Math.min(words.length > 1 ? SKIMMED.several : SKIMMED.one, rowsOf(search.build)),
  );
  const rows = newestTexts(search, table, skimmed);
  const newest = issuesOf(search, { table, rows, rank, each: true }, holds);
  const rest = issuesOf(search, { table, rows: `"${table}"`, rank }, [
    TOO_FEW,
    ...holds,
    ...patterns(search, "literals"),
  ]);
  return `with walked as materialized (${newest}) select * from walked union all (${rest})`;
}

/** SQL of whether the texts that were walked are too few to be ranked alone. */
const TOO_FEW = `(select count(*) from walked) < ${RANKED}`;

/** Texts that have most words. The index gives them in no order: to sort them all would take too long. */
function mostly(search: Search, table: TextTable): string {
  const having = `x.words @@ ${query("most")}`;
  const rows = `(select x.* from "${table}" x where x."organizationId" = ${organization(search.build)} and ${having} limit ${RANKED})`;
  return issuesOf(search, { table, rows, rank: `${RANK.most} + ${COUNTED}`, each: true }, [having]);
}

/** SQL of what the words that a text has add to its rank, of which it may have some alone. */
const COUNTED = `${RANK.word} * least(20, (select count(*) from unnest(${query("each")}) q where f.words @@ q))`;

/** The newest texts that are found in any of these ways, the best way first. */
function walking(search: Search, table: TextTable): string {
  const literals = holdsAll(search, "n.text", "literals", (term) => term.literals);
  const way = `case when n.words @@ ${query("every")} and ${literals} then ${RANK.words}
    when ${holdsAll(search, "n.text", "texts", textsIn)} then ${RANK.within} when n.words @@ ${query("most")} then ${RANK.most} end`;
  const rows = `(select n.*, ${way} as way from ${newestTexts(search, table)} n offset 0)`;
  const rank = `f.way + case when f.way = ${RANK.most} then ${COUNTED} else 0 end`;
  return issuesOf(search, { table, rows, rank, way: true, each: true }, ["x.way is not null"]);
}

/**
 * The part for a term that is an identifier: what names it is looked for in the index, if that has any of it. Its statement
 * is prepared for any value; `offset 0` keeps it from walking all texts by age for the newest that match.
 */
function naming(search: Search, table: TextTable): string {
  const pattern = value(search, "pattern.0", "text", (_, whole) => indexedPattern([whole.trim()], 0));
  const rows = `(select * from "${table}" n where n."organizationId" = ${organization(search.build)}
    and n.text ilike ${pattern} offset 0)`;
  return issuesOf(search, { table, rows, rank: "0", each: true }, []);
}

/**
 * Texts that have all words as they stand, within other words too. The newest texts are walked where the index has no part of the
 * term, and where it has several: where all of them are common, the walk finds enough, and the index, which then has most of
 * all texts to be looked through, is left alone.
 */
function within(search: Search, table: TextTable): string {
  const held = holdsAll(search, "x.text", "texts", textsIn);
  const rank = String(RANK.within);
  // From each text to its issue: a join that loops over issues would compare every text for each of them.
  const walk = value(search, "walk", "integer", (term, whole) => walkedRows(term, whole, rowsOf(search.build)));
  const newest = { table, rows: newestTexts(search, table, walk), rank, each: true } as const;
  const others = value(search, "others", "text[]", (term) => otherWords(textsIn(term)).map((word) => `%${word}%`));
  const indexed = value(search, "indexed", "boolean", (term) => isIndexed(textsIn(term)));
  const looked = [indexed, TOO_FEW, ...patterns(search, "texts"), `x.text ilike all(${others})`];
  return `with walked as materialized (${issuesOf(search, newest, [held])})
    select * from walked union all (${issuesOf(search, { table, rows: `"${table}"`, rank }, looked)})`;
}

/** SQL of whether a text has what the index can look up. A pattern that is null, as the database sees before it plans, is left out. */
const patterns = (search: Search, of: "literals" | "texts"): string[] =>
  Array.from({ length: INDEXED_WORDS }, (_, n) => {
    const pattern = value(search, `${of}.pattern.${n}`, "text", (term) =>
      indexedPattern(of === "texts" ? textsIn(term) : term.literals, n),
    );
    return `(${pattern} is null or x.text ilike ${pattern})`;
  });
