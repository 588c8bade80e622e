import type { Build } from "../../../read/entity.ts";
import { column, entityOf, fieldValue, newRow, organization, shapeOf } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import { isIdentifierShape } from "../../../read/shape.ts";
import { externalIds } from "../../fields.ts";
import { bytesOf, comparable, folded, isAscii, rowsOf } from "../../searched.ts";
import { externallyNamed } from "./external.ts";
import { newestTexts, reached } from "./newest.ts";
import { isIndexed, issuesOf, isWalked, RANKED, type Search, shownIf, type TextTable, value } from "./parts.ts";
import { INDEXED_WORDS, indexedPattern, namedIn, otherWords, walkedRows, wordsIn } from "./words.ts";

/**
 * SQL of the ids of the newest issues that a term finds, each once, by the index of texts or, where a part of the term names
 * an issue, by its number. Raw SQL: a part of what the read planner writes.
 */
export function hits(build: Build, selection: Selection): string {
  const search = { build, selection };
  const tables = tablesOf(search);
  if (isIdentifierShape(shapeOf(build, selection).term)) {
    const part = build.newestAlone ? inTexts : naming;
    const texts = tables.map((table) => `select h.id from (${part(search, table)}) h`);
    return [...texts, ...namedAlone(search)].join(" union ");
  }
  const parts = [...tables.map((table) => inTexts(search, table)), named(search)];
  return `select h.id from (${parts.map((part) => `(${part})`).join(" union ")}) h
    order by h."createdAt" desc, h.id desc limit ${RANKED}`;
}

const tablesOf = ({ build, selection }: Search): TextTable[] =>
  shapeOf(build, selection).includeComments === true ? ["issueText", "commentText"] : ["issueText"];

/** SQL of how far back was looked where the index was not asked; null when to the end. */
export function searchedSince(build: Build, selection: Selection): string {
  const search = { build, selection };
  if (!build.newestAlone && isIdentifierShape(shapeOf(build, selection).term)) return "null::timestamptz";
  const asked = build.newestAlone ? "true" : isWalked(search);
  const ends = tablesOf(search).map((table) => reached(search, table));
  return `(case when ${asked} then greatest(${ends.join(", ")}) end)`;
}

/** SQL of whether a text has all words of the term, in any case. It is folded once for all of them. */
function holdsAll(search: Search, text: string): string {
  const words = value(search, "words", "text[]", (term) => wordsIn(term).map(comparable));
  const ascii = value(search, "ascii", "boolean", isAscii);
  return `(select bool_and(strpos(l.text, ${folded("w", ascii)}) > 0)
    from (select ${folded(text, ascii)} as text offset 0) l, unnest(${words}) w)`;
}

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
  const held = holdsAll(search, "x.text");
  // From each text to its issue: a join that loops over issues would compare every text for each of them.
  if (search.build.newestAlone)
    return issuesOf(search, { table, rows: newestTexts(search, table), each: true }, [held]);
  const walk = value(search, "walk", "integer", (term) => walkedRows(term, rowsOf(search.build)));
  const newest = { table, rows: newestTexts(search, table, walk), each: true } as const;
  const others = value(search, "others", "text[]", (term) => otherWords(term).map((word) => `%${word}%`));
  // A pattern that is null, as the database sees before it plans, is left out.
  const indexed = Array.from({ length: INDEXED_WORDS }, (_, n) => {
    const pattern = value(search, `pattern.${n}`, "text", (term) => indexedPattern(term, n));
    return `(${pattern} is null or x.text ilike ${pattern})`;
  });
  const tooFew = `(select count(*) from walked) < ${RANKED}`;
  const looked = [isIndexed(search), tooFew, ...indexed, `x.text ilike all(${others})`];
  return `with walked as materialized (${issuesOf(search, newest, [held])})
    select * from walked union all (${issuesOf(search, { table, rows: `"${table}"` }, looked)})`;
}

/**
 * SQL of the issues that a word names, by their number, now or before they moved, or by the id that they had where they
 * were imported from, and that have the other words too. Raw SQL: a part of what the read planner writes.
 */
function named(search: Search): string {
  const org = organization(search.build);
  const row = newRow(search.build, entityOf(search.build, "IssueSearchResult"));
  const own = `(${fieldValue(row, "identifier")?.sql} || ' ' || array_to_string(${column(row, "previousIdentifiers")}, ' ')
    || ' ' || array_to_string(${externalIds(row)}, ' ') || ' ' || ${column(row, "title")} || ' ' || coalesce(${column(row, "description")}, ''))`;
  const shown = shownIf(search, row);
  const few = `select n.id from (select n.id, sum(coalesce(octet_length(n.description), 0)) over (order by n."createdAt" desc, n.id desc
      rows unbounded preceding) - coalesce(octet_length(n.description), 0) as before from issue n
    where n."organizationId" = ${org} and n.id = any(array(${namedAlone(search).join(" union ")}))) n
    where n.before < ${value(search, "bytes", "integer", (term) => bytesOf(search.build, wordsIn(term), 2))}`;
  return `select ${row.alias}.id, ${row.alias}."createdAt" from issue ${row.alias}${row.frame.joins.join("")}
    where ${row.alias}."organizationId" = ${org} and ${row.alias}.id = any(array(${few}))
      and ${holdsAll(search, own)} and ${shown.join(" and ")}
    order by ${row.alias}."createdAt" desc, ${row.alias}.id desc limit ${RANKED}`;
}

/**
 * SQL of the ids of the issues that a word names, each a part of its own: some hundred, since a number stands for itself and for what it
 * may become while it is typed. Where they are not all that is looked for, the issues themselves have to be looked at.
 */
function namedAlone(search: Search): string[] {
  const org = organization(search.build);
  const list = (part: "key" | "low" | "high", cast: string) =>
    value(search, `named.${part}`, `${cast}[]`, (term) => namedIn(term).map((each) => each[part]));
  const numbers = `unnest(${list("key", "text")}, ${list("low", "integer")}, ${list("high", "integer")}) w (key, low, high)
    join "teamKey" k on k."organizationId" = ${org} and (w.key is null or k.key = w.key)`;
  const among = (table: string, id: string) => `select n."${id}" from ${numbers}
    join ${table} n on n."organizationId" = ${org} and n."teamId" = k."teamId" and n.number between w.low and w.high`;
  const foreign = externallyNamed(search.build, search.selection, "search.external", (term) =>
    term.split(/\s+/).filter(Boolean),
  );
  return [among("issue", "id"), among('"issueAlias"', "issueId"), foreign];
}
