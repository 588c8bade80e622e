import type { Build } from "../../../read/entity.ts";
import { organization, shapeOf } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import { isIdentifierShape } from "../../../read/shape.ts";
import { named, namedAlone } from "./named.ts";
import { type From, isIndexed, issuesOf, isWalked, RANKED, type Search, type TextTable, value } from "./parts.ts";
import { INDEXED_WORDS, indexedPattern, LOOKED_AT, otherWords, walkedRows, wordsOf } from "./words.ts";

/**
 * SQL of the ids of the newest issues that a term finds, each once, by the index of texts or, where a part of the term names
 * an issue, by its number. Raw SQL: a part of what the read planner writes.
 */
export function hits(build: Build, selection: Selection): string {
  const search = { build, selection };
  const args = shapeOf(build, selection);
  const tables: TextTable[] = args.includeComments === true ? ["issueText", "commentText"] : ["issueText"];
  if (isIdentifierShape(args.term)) {
    const texts = tables.map((table) => `select h.id from (${naming(search, table)}) h`);
    return [...texts, ...namedAlone(search)].join(" union ");
  }
  const parts = [...tables.map((table) => inTexts(search, table)), named(search)];
  return `select h.id from (${parts.map((part) => `(${part})`).join(" union ")}) h
    order by h."createdAt" desc, h.id desc limit ${RANKED}`;
}

/** SQL of how far back was looked, for a term that the index has no part of; null when to the end. */
export const searchedSince = (build: Build, selection: Selection): string =>
  isIdentifierShape(shapeOf(build, selection).term)
    ? "null::timestamptz"
    : `(select x."createdAt" from "issueText" x where x."organizationId" = ${organization(build)}
     and ${isWalked({ build, selection })} order by x."createdAt" desc, x.id desc offset ${LOOKED_AT - 1} limit 1)`;

/**
 * The part for a term that is an identifier: what names it is looked for in the index, if that has any of it. Its statement
 * is prepared for any value; `offset 0` keeps it from walking all texts by age for the newest that match.
 */
function naming(search: Search, table: TextTable): string {
  const pattern = value(search, "pattern.0", "text", (term) => indexedPattern(term, 0));
  const rows = `(select * from "${table}" n where n."organizationId" = ${organization(search.build)}
    and n.text ilike ${pattern} offset 0)`;
  return issuesOf(search, { table, rows, each: true }, []);
}

/**
 * The newest texts are walked where the index has no part of the term, and where it has several: where all of them are
 * common, the walk finds enough, and the index, which then has most of all texts to be looked through, is left alone.
 */
function inTexts(search: Search, table: TextTable): string {
  const walk = value(search, "walk", "integer", walkedRows);
  const newest: From = {
    table,
    rows: `(select * from "${table}" n where n."organizationId" = ${organization(search.build)}
      order by n."createdAt" desc, n.id desc limit ${walk})`,
  };
  const all = value(search, "patterns", "text[]", (term) => wordsOf(term).map((word) => `%${word}%`));
  const others = value(search, "others", "text[]", (term) => otherWords(term).map((word) => `%${word}%`));
  // A pattern that is null, as the database sees before it plans, is left out.
  const indexed = Array.from({ length: INDEXED_WORDS }, (_, n) => {
    const pattern = value(search, `pattern.${n}`, "text", (term) => indexedPattern(term, n));
    return `(${pattern} is null or x.text ilike ${pattern})`;
  });
  const tooFew = `(select count(*) from walked) < ${RANKED}`;
  const looked = [isIndexed(search), tooFew, ...indexed, `x.text ilike all(${others})`];
  return `with walked as materialized (${issuesOf(search, newest, [`x.text ilike all(${all})`])})
    select * from walked union all (${issuesOf(search, { table, rows: `"${table}"` }, looked)})`;
}
