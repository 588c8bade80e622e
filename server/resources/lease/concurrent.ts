import type { SqlRow } from "../../read/entity.ts";
import { bindOrganization, columnSql } from "../../read/row.ts";
import { linkTo } from "../fields.ts";
import { isSessionNamedSql } from "../issue-session/link.ts";
import { relativePathSql } from "../recorded/files/file.ts";
import type { Resource } from "../resource.ts";

/** After a file was changed, the file counts as being changed for this time. */
const RECENT = "interval '30 minutes'";
/**
 * Maximum numbers: leases that are read, files per lease, files that an issue's sessions have changed, and concurrent
 * changes that an issue shows.
 */
const [LEASES, FILES, TOUCHED, SHOWN] = [200, 200, 500, 20];

const relative = relativePathSql("(s.metadata ->> 'cwd')");

/**
 * SQL for the files that holders of issues are changing now, with the time of the latest change of each file. Raw SQL:
 * lateral joins, each with a limit.
 */
export const filesBeingChangedSql = (organizationId: string): string => `
  select l.id as "issueId", l."holderId", s.session_id, f.path, max(f.timestamp) as at
    from (select * from "issueLease" h where h."organizationId" = ${organizationId} and h."sessionId" is not null
      order by h."grantedAt" desc limit ${LEASES}) l
    cross join lateral (select s.session_id, s.metadata from recorded_session s
      where s.organization_id = ${organizationId} and ${isSessionNamedSql('l."sessionId"')} limit 1) s
    cross join lateral (select ${relative} as path, a.timestamp from recorded_action a
      where a.organization_id = ${organizationId} and a.session_id = s.session_id and a.kind = 'file'
        and a.timestamp > now() - ${RECENT} order by a.timestamp desc limit ${FILES}) f
   group by 1, 2, 3, 4`;

/** SQL for the files that sessions of an issue and of related issues have changed. */
export const filesChangedForIssueSql = (organizationId: string, issueId: string): string => `
  select distinct ${relative} as path
    from (select ${issueId} as id union
      select case when r."issueId" = ${issueId} then r."relatedIssueId" else r."issueId" end from "issueRelation" r
       where r."organizationId" = ${organizationId} and ${issueId} in (r."issueId", r."relatedIssueId") limit 50) i
    join "issueSession" x on x."organizationId" = ${organizationId} and x."issueId" = i.id
    join recorded_session s on s.organization_id = ${organizationId} and s.session_id = x."sessionId"
    join recorded_action a on a.organization_id = ${organizationId} and a.session_id = x."sessionId" and a.kind = 'file'
   limit ${TOUCHED}`;

/**
 * SQL for the concurrent changes of an issue: files that the sessions of the issue or of related issues changed before,
 * and that the holder of another issue is changing now.
 */
export function concurrentChangesSql(issue: SqlRow): string {
  const [tenant, id] = [bindOrganization(issue.build), columnSql(issue, "id")];
  return `select b.path as id, b.path, b.at as "createdAt", b."holderId", b."issueId", b.session_id as "sessionId"
    from (${filesBeingChangedSql(tenant)}) b
    where b."issueId" <> ${id} and b.path in (${filesChangedForIssueSql(tenant, id)})
    order by b.at desc, b.path limit ${SHOWN}`;
}

/** Maximum number of rows per issue. */
export const MAX_CONCURRENT_CHANGES = SHOWN;

/** A file that a user is changing now while holding another issue. */
export const concurrentChangeResource: Resource = {
  entity: {
    name: "ConcurrentChange",
    table: "",
    columns: { path: "text", createdAt: "timestamp" },
    internal: { holderId: "uuid", issueId: "uuid", sessionId: "uuid" },
    one: {
      holder: linkTo("User", "holderId"),
      issue: linkTo("Issue", "issueId"),
      session: linkTo("RecordedSession", "sessionId"),
    },
  },
};
