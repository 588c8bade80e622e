import { buildNfcSql } from "../../../../db/text/canonical.ts";
import { bindOrganization, columnSql, fieldSql, findEntity, newRow } from "../../../read/row.ts";
import { externalIdsSql } from "../../fields.ts";
import { maxSearchedBytesPerTable } from "./newest.ts";
import {
  bindTermValue,
  containsAllSql,
  MAX_RANKED_HITS,
  type SearchContext,
  searchConditions,
  titleRankSql,
} from "./parts.ts";
import { findIdentifiersInTerm } from "./patterns.ts";
import { splitTerm } from "./term.ts";

/**
 * SQL for the ids of issues with a given external id, with or without the source: bd-a1, jira:SITE-7. Uses the term
 * as sent, because an index compares external ids by bytes. Raw SQL: a fragment for the read planner.
 */
export function externalIdMatchesSql(search: SearchContext, key: string, of: (whole: string) => string[]): string {
  const org = bindOrganization(search.build);
  const names = bindTermValue(search, key, "text[]", (_, whole, given) => of(given?.whole ?? whole).flatMap(namesIn));
  return `select e."entityId" from "externalId" e where e."organizationId" = ${org} and e.type = 'Issue'
    and lower(e."externalId") = any(array(select lower(w) from unnest(${names}) w))`;
}

/**
 * Returns a word and, if the word contains a colon, also the text after the colon. The text before the colon may be the
 * source of an external id.
 */
function namesIn(name: string): string[] {
  const colon = name.indexOf(":");
  return colon < 0 ? [name] : [name, name.slice(colon + 1)];
}

/**
 * SQL for the issues that a word identifies (by a current or previous number, or by an external id) and that contain
 * the other words. Raw SQL: a fragment for the read planner.
 */
export function buildIdentifierMatchesSql(search: SearchContext, rank: number): string {
  const org = bindOrganization(search.build);
  const row = newRow(search.build, findEntity(search.build, "IssueSearchResult"));
  const own = `(${fieldSql(row, "identifier")?.sql} || ' ' || array_to_string(${columnSql(row, "previousIdentifiers")}, ' ')
    || ' ' || array_to_string(${externalIdsSql(row)}, ' ') || ' ' || ${buildNfcSql(columnSql(row, "title"))} || ' '
    || coalesce(${buildNfcSql(columnSql(row, "description"))}, ''))`;
  const shown = searchConditions(search, row);
  const few = `select n.id from (select n.id, sum(coalesce(octet_length(n.description), 0)) over (order by n."createdAt" desc, n.id desc
      rows unbounded preceding) - coalesce(octet_length(n.description), 0) as before from issue n
    where n."organizationId" = ${org} and n.id = any(array(${buildIdentifierMatchIdsSql(search).join(" union ")}))) n
    where n.before < ${bindTermValue(search, "bytes", "integer", (term) => maxSearchedBytesPerTable(search.build, term))}`;
  return `select ${row.alias}.id, ${row.alias}."createdAt", ${rank} + ${titleRankSql(columnSql(row, "title"))} as rank
    from issue ${row.alias}${row.frame.joins.join("")}
    where ${row.alias}."organizationId" = ${org} and ${row.alias}.id = any(array(${few}))
      and ${containsAllSql(search, own, "parts", (_, whole) => splitTerm(whole))} and ${shown.join(" and ")}
    order by ${row.alias}."createdAt" desc, ${row.alias}.id desc limit ${MAX_RANKED_HITS}`;
}

/**
 * SQL for the ids of the issues that a word identifies, as one query per kind of id. The queries may find some hundred
 * issues, because a number also stands for longer numbers that the user may still be typing. If the term contains more
 * words, the search must read these issues.
 */
export function buildIdentifierMatchIdsSql(search: SearchContext): string[] {
  const org = bindOrganization(search.build);
  const list = (part: "key" | "low" | "high", cast: string) =>
    bindTermValue(search, `named.${part}`, `${cast}[]`, (_, whole) =>
      findIdentifiersInTerm(whole).map((each) => each[part]),
    );
  const numbers = `unnest(${list("key", "text")}, ${list("low", "integer")}, ${list("high", "integer")}) w (key, low, high)
    join "teamKey" k on k."organizationId" = ${org} and (w.key is null or k.key = w.key)`;
  const among = (table: string, id: string) => `select n."${id}" from ${numbers}
    join ${table} n on n."organizationId" = ${org} and n."teamId" = k."teamId" and n.number between w.low and w.high`;
  const foreign = externalIdMatchesSql(search, "foreign", splitTerm);
  return [among("issue", "id"), among('"issueAlias"', "issueId"), foreign];
}
