import { buildCanonicalSql } from "../../../../db/text/canonical.ts";
import { column, fieldSql, findEntity, newRow, organization } from "../../../read/row.ts";
import { externalIds } from "../../fields.ts";
import { bytesFor } from "./newest.ts";
import { bindTermValue, containsAllSql, RANKED, type Search, searchConditions, titleRank } from "./parts.ts";
import { namedIn } from "./patterns.ts";
import { splitTerm } from "./term.ts";

/**
 * SQL for the ids of issues with a given external id, with or without the source: bd-a1, jira:SITE-7. Uses the term
 * as sent, because an index compares external ids by bytes. Raw SQL: a fragment for the read planner.
 */
export function externalIdMatchesSql(search: Search, key: string, of: (whole: string) => string[]): string {
  const org = organization(search.build);
  const names = bindTermValue(search, key, "text[]", (_, whole, given) => of(given?.whole ?? whole).flatMap(namesIn));
  return `select e."entityId" from "externalId" e where e."organizationId" = ${org} and e.type = 'Issue'
    and lower(e."externalId") = any(array(select lower(w) from unnest(${names}) w))`;
}

/** Returns a word, and the part of the word after the source. */
function namesIn(name: string): string[] {
  const colon = name.indexOf(":");
  return colon < 0 ? [name] : [name, name.slice(colon + 1)];
}

/**
 * SQL for the issues that a word identifies (by a current or previous number, or by an external id) and that contain
 * the other words. Raw SQL: a fragment for the read planner.
 */
export function buildIdentifierMatchesSql(search: Search, rank: number): string {
  const org = organization(search.build);
  const row = newRow(search.build, findEntity(search.build, "IssueSearchResult"));
  const own = `(${fieldSql(row, "identifier")?.sql} || ' ' || array_to_string(${column(row, "previousIdentifiers")}, ' ')
    || ' ' || array_to_string(${externalIds(row)}, ' ') || ' ' || ${buildCanonicalSql(column(row, "title"))} || ' '
    || coalesce(${buildCanonicalSql(column(row, "description"))}, ''))`;
  const shown = searchConditions(search, row);
  const few = `select n.id from (select n.id, sum(coalesce(octet_length(n.description), 0)) over (order by n."createdAt" desc, n.id desc
      rows unbounded preceding) - coalesce(octet_length(n.description), 0) as before from issue n
    where n."organizationId" = ${org} and n.id = any(array(${buildIdentifierMatchIdsSql(search).join(" union ")}))) n
    where n.before < ${bindTermValue(search, "bytes", "integer", (term) => bytesFor(search.build, term))}`;
  return `select ${row.alias}.id, ${row.alias}."createdAt", ${rank} + ${titleRank(column(row, "title"))} as rank
    from issue ${row.alias}${row.frame.joins.join("")}
    where ${row.alias}."organizationId" = ${org} and ${row.alias}.id = any(array(${few}))
      and ${containsAllSql(search, own, "parts", (_, whole) => splitTerm(whole))} and ${shown.join(" and ")}
    order by ${row.alias}."createdAt" desc, ${row.alias}.id desc limit ${RANKED}`;
}

/**
 * SQL for the ids of the issues that a word identifies, one part per kind of id. There may be some hundred issues,
 * because a number also stands for longer numbers that the user may still be typing. If the term has further words,
 * the issues themselves must be read.
 */
export function buildIdentifierMatchIdsSql(search: Search): string[] {
  const org = organization(search.build);
  const list = (part: "key" | "low" | "high", cast: string) =>
    bindTermValue(search, `named.${part}`, `${cast}[]`, (_, whole) => namedIn(whole).map((each) => each[part]));
  const numbers = `unnest(${list("key", "text")}, ${list("low", "integer")}, ${list("high", "integer")}) w (key, low, high)
    join "teamKey" k on k."organizationId" = ${org} and (w.key is null or k.key = w.key)`;
  const among = (table: string, id: string) => `select n."${id}" from ${numbers}
    join ${table} n on n."organizationId" = ${org} and n."teamId" = k."teamId" and n.number between w.low and w.high`;
  const foreign = externalIdMatchesSql(search, "foreign", splitTerm);
  return [among("issue", "id"), among('"issueAlias"', "issueId"), foreign];
}
