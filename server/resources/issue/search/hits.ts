import type { Build } from "../../../read/entity.ts";
import { column, entityOf, fieldValue, newRow, organization, shapeOf } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import { isIdentifierShape } from "../../../read/shape.ts";
import { externalIds } from "../../fields.ts";
import { externallyNamed } from "./external.ts";
import { isIndexed, isWalked, type Search, shownIf, value } from "./parts.ts";
import { INDEXED_WORDS, indexedPattern, namedIn, wordsOf } from "./words.ts";

/** So many hits are ranked, the newest. */
const RANKED = 1_000;
/** Among so many of the newest a term is looked for that the index has no part of: one or two letters. */
const LOOKED_AT = 20_000;

/**
 * SQL of the ids of the newest issues that a term finds, by the index of texts or, where a part of the term names an issue,
 * by its number. Raw SQL: a part of what the read planner writes.
 */
export function hits(build: Build, selection: Selection): string {
  const search = { build, selection };
  const args = shapeOf(build, selection);
  const texts = isIdentifierShape(args.term) ? naming : inTexts;
  const parts = [...texts(search, "issueText"), named(search)];
  if (args.includeComments === true) parts.push(...texts(search, "commentText"));
  return `select h.id from (${parts.map((part) => `(${part})`).join(" union all ")}) h
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
function naming(search: Search, table: "issueText" | "commentText"): string[] {
  const pattern = value(search, "pattern.0", "text", (term) => indexedPattern(term, 0));
  const found = `(select * from "${table}" n where n."organizationId" = ${organization(search.build)}
    and n.text ilike ${pattern} offset 0)`;
  return [issuesOf(search, table, found, [isIndexed(search)])];
}

/** Two parts, one of which is empty, as the database sees before it plans: a look into the index, and a bounded walk. */
function inTexts(search: Search, table: "issueText" | "commentText"): string[] {
  const org = organization(search.build);
  const all = value(search, "patterns", "text[]", (term) => wordsOf(term).map((word) => `%${word}%`));
  const indexed = Array.from({ length: INDEXED_WORDS }, (_, n) => {
    return `x.text ilike ${value(search, `pattern.${n}`, "text", (term) => indexedPattern(term, n))}`;
  });
  const newest = `(select * from "${table}" n where n."organizationId" = ${org}
    order by n."createdAt" desc, n.id desc limit ${LOOKED_AT})`;
  return [
    issuesOf(search, table, `"${table}"`, [isIndexed(search), ...indexed, `x.text ilike all(${all})`]),
    issuesOf(search, table, newest, [isWalked(search), `x.text ilike all(${all})`]),
  ];
}

/** SQL of the issues whose text, or whose comments' text, satisfies conditions about `x`. */
function issuesOf(search: Search, table: string, from: string, conditions: readonly string[]): string {
  const org = organization(search.build);
  const row = newRow(search.build, entityOf(search.build, "IssueSearchResult"));
  const shown = shownIf(search, row);
  const ofComment = ` join comment c on c."organizationId" = ${org} and c.id = x.id`;
  const [through, id] = table === "commentText" ? [ofComment, `c."issueId"`] : ["", "x.id"];
  return `select ${row.alias}.id, ${row.alias}."createdAt" from ${from} x${through}
    join issue ${row.alias} on ${row.alias}."organizationId" = ${org} and ${row.alias}.id = ${id}${row.frame.joins.join("")}
    where x."organizationId" = ${org} and ${[...conditions, ...shown].join(" and ")}
    order by x."createdAt" desc, x.id desc limit ${RANKED}`;
}

/**
 * SQL of the issues that a word names, by their number, now or before they moved, or by the id that they had where they
 * were imported from, and that have the other words too.
 */
function named(search: Search): string {
  const org = organization(search.build);
  const row = newRow(search.build, entityOf(search.build, "IssueSearchResult"));
  const own = `(${fieldValue(row, "identifier")?.sql} || ' ' || array_to_string(${column(row, "previousIdentifiers")}, ' ')
    || ' ' || array_to_string(${externalIds(row)}, ' ') || ' ' || ${column(row, "title")} || ' ' || coalesce(${column(row, "description")}, ''))`;
  const all = value(search, "patterns", "text[]", (term) => wordsOf(term).map((word) => `%${word}%`));
  const shown = shownIf(search, row);
  const list = (part: "key" | "low" | "high", cast: string) =>
    value(search, `named.${part}`, `${cast}[]`, (term) => namedIn(term).map((each) => each[part]));
  const numbers = `unnest(${list("key", "text")}, ${list("low", "integer")}, ${list("high", "integer")}) w (key, low, high)
    join "teamKey" k on k."organizationId" = ${org} and (w.key is null or k.key = w.key)`;
  const among = (table: string, id: string) => `select n."${id}" from ${numbers}
    join ${table} n on n."organizationId" = ${org} and n."teamId" = k."teamId" and n.number between w.low and w.high`;
  const foreign = externallyNamed(search.build, search.selection, "search.external", (term) =>
    term.split(/\s+/).filter(Boolean),
  );
  return `select ${row.alias}.id, ${row.alias}."createdAt" from issue ${row.alias}${row.frame.joins.join("")}
    where ${row.alias}."organizationId" = ${org} and ${row.alias}.id = any(array(
      ${among("issue", "id")} union ${among('"issueAlias"', "issueId")} union ${foreign})) and ${own} ilike all(${all})
      and ${shown.join(" and ")}
    order by ${row.alias}."createdAt" desc, ${row.alias}.id desc limit ${RANKED}`;
}
