import { column, entityOf, fieldValue, newRow, organization } from "../../../read/row.ts";
import { externalIds } from "../../fields.ts";
import { bytesFor } from "./newest.ts";
import { holdsAll, RANKED, type Search, shownIf, titleRank, value } from "./parts.ts";
import { namedIn } from "./patterns.ts";
import { partsOf, type Term } from "./term.ts";

/**
 * SQL of the ids of issues that had one of some words as their id where they were imported from, alone or after its
 * source: bd-a1, jira:SITE-7. The words are made of the term; an index has them.
 * Raw SQL: a part of what the read planner writes.
 */
export function externallyNamed(search: Search, key: string, of: (term: Term, whole: string) => string[]): string {
  const org = organization(search.build);
  const names = value(search, key, "text[]", (term, whole) => of(term, whole).flatMap(namesIn));
  return `select e."entityId" from "externalId" e where e."organizationId" = ${org} and e.type = 'Issue'
    and lower(e."externalId") = any(array(select lower(w) from unnest(${names}) w))`;
}

/** A word, and what is behind the source in it. */
function namesIn(name: string): string[] {
  const colon = name.indexOf(":");
  return colon < 0 ? [name] : [name, name.slice(colon + 1)];
}

/**
 * SQL of the issues that a word names, by their number, now or before they moved, or by the id that they had where they
 * were imported from, and that have the other words too. Raw SQL: a part of what the read planner writes.
 */
export function named(search: Search, rank: number): string {
  const org = organization(search.build);
  const row = newRow(search.build, entityOf(search.build, "IssueSearchResult"));
  const own = `(${fieldValue(row, "identifier")?.sql} || ' ' || array_to_string(${column(row, "previousIdentifiers")}, ' ')
    || ' ' || array_to_string(${externalIds(row)}, ' ') || ' ' || ${column(row, "title")} || ' ' || coalesce(${column(row, "description")}, ''))`;
  const shown = shownIf(search, row);
  const few = `select n.id from (select n.id, sum(coalesce(octet_length(n.description), 0)) over (order by n."createdAt" desc, n.id desc
      rows unbounded preceding) - coalesce(octet_length(n.description), 0) as before from issue n
    where n."organizationId" = ${org} and n.id = any(array(${namedAlone(search).join(" union ")}))) n
    where n.before < ${value(search, "bytes", "integer", (term) => bytesFor(search.build, term))}`;
  return `select ${row.alias}.id, ${row.alias}."createdAt", ${rank} + ${titleRank(column(row, "title"))} as rank
    from issue ${row.alias}${row.frame.joins.join("")}
    where ${row.alias}."organizationId" = ${org} and ${row.alias}.id = any(array(${few}))
      and ${holdsAll(search, own, "parts", (_, whole) => partsOf(whole))} and ${shown.join(" and ")}
    order by ${row.alias}."createdAt" desc, ${row.alias}.id desc limit ${RANKED}`;
}

/**
 * SQL of the ids of the issues that a word names, each a part of its own: some hundred, since a number stands for itself and for what it
 * may become while it is typed. Where they are not all that is looked for, the issues themselves have to be looked at.
 */
export function namedAlone(search: Search): string[] {
  const org = organization(search.build);
  const list = (part: "key" | "low" | "high", cast: string) =>
    value(search, `named.${part}`, `${cast}[]`, (_, whole) => namedIn(whole).map((each) => each[part]));
  const numbers = `unnest(${list("key", "text")}, ${list("low", "integer")}, ${list("high", "integer")}) w (key, low, high)
    join "teamKey" k on k."organizationId" = ${org} and (w.key is null or k.key = w.key)`;
  const among = (table: string, id: string) => `select n."${id}" from ${numbers}
    join ${table} n on n."organizationId" = ${org} and n."teamId" = k."teamId" and n.number between w.low and w.high`;
  const foreign = externallyNamed(search, "foreign", (_, whole) => partsOf(whole));
  return [among("issue", "id"), among('"issueAlias"', "issueId"), foreign];
}
