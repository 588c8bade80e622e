import type { SqlRow } from "../../read/entity.ts";
import { column, organization, tableOf } from "../../read/row.ts";
import { LIMIT_NAMES } from "../lease/fence.ts";

/** Characters of a question. */
const MOST = 2_000;

/**
 * Raw SQL: what is asked or was said, read for the entries of a page alone. An inbox is put in order by its moments; texts of
 * the thousands that it has would take most of the time.
 */
export function questionOf(entry: SqlRow): string {
  const { build } = entry;
  const own = organization(build);
  const of = (name: string) => column(entry, name);
  build.reads.add("recorded_session").add("recorded_failure_group");
  const issue = `${tableOf(build, "issue")} i where i."organizationId" = ${own} and i.id = ${of("issueId")}`;
  const comment = `select c.body from ${tableOf(build, "comment")} c where c."organizationId" = ${own} and c.id = ${of("commentId")}`;
  const limit = `select case l."trippedBy" ${Object.entries(LIMIT_NAMES)
    .map(([name, words]) => `when '${name}' then '${words}'`)
    .join(
      " ",
    )} end from ${tableOf(build, "issueLease")} l where l."organizationId" = ${own} and l.id = ${of("issueId")}`;
  return `left(case ${of("type")}
    when 'leaseExpired' then (select i.title from ${issue})
    when 'issueAssigned' then (select i.title from ${issue})
    when 'issueMentioned' then coalesce((${comment}), (select i.description from ${issue}))
    when 'limitReached' then 'Limit of ' || (${limit}) || ': ' || (select i.title from ${issue})
    when 'failureNew' then ${failure(own, of("failureGroupId"))}
    when 'failureBack' then ${failure(own, of("failureGroupId"))}
    else (select s.waits_for from recorded_session s where s.organization_id = ${own} and s.session_id = ${of("sessionId")}) end, ${MOST})`;
}

const failure = (own: string, id: string): string =>
  `(select g.tool || ': ' || g.message from recorded_failure_group g where g.organization_id = ${own} and g.group_id = ${id})`;
