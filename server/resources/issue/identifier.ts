import type { SqlRow } from "../../read/entity.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";

/** SQL for the identifier in a text: trims white space, and extracts the identifier from the URL of an issue page. */
const nameIn = (value: string): string =>
  `regexp_replace(btrim(${value}, E' \\t\\r\\n'), '^https?://.+/issue/([A-Za-z][A-Za-z0-9]{0,6}-[0-9]{1,9})([/?#].*)?$', '\\1')`;

/**
 * Finds an issue by a current or previous identifier (ENG-12 or eng-12), or by the URL of the page. Otherwise
 * finds the issue by an external id, with or without the source: bd-a1, jira:SITE-7. If several issues have an external
 * id given without the source, the issue imported first is found.
 */
export function matchesIdentifierSql(row: SqlRow, given: string): string {
  const value = nameIn(given);
  const org = bindOrganization(row.build);
  const team = `(select k."teamId" from "teamKey" k where k."organizationId" = ${org} and k.key = upper(split_part(${value}, '-', 1)))`;
  const number = `(case when ${value} ~ '^[A-Za-z][A-Za-z0-9]{0,6}-[0-9]{1,9}$' then split_part(${value}, '-', 2)::integer end)`;
  const own = `(select o.id from issue o where o."organizationId" = ${org} and o."teamId" = ${team} and o.number = ${number})`;
  const alias = `(select a."issueId" from "issueAlias" a where a."organizationId" = ${org} and a."teamId" = ${team} and a.number = ${number})`;
  const bare = `lower(substr(${value}, strpos(${value}, ':') + 1))`;
  const external = `(select e."entityId" from "externalId" e where e."organizationId" = ${org} and e.type = 'Issue'
    and lower(e."externalId") in (lower(${value}), ${bare})
    and (lower(e."externalId") = lower(${value}) or e.source = lower(split_part(${value}, ':', 1)))
    order by e."entityId" limit 1)`;
  return `${columnSql(row, "id")} = coalesce(${own}, ${alias}, ${external})`;
}
