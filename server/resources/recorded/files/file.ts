import type { SqlRow } from "../../../read/entity.ts";
import { bindOrganization, columnSql } from "../../../read/row.ts";
import { linkTo } from "../../fields.ts";
import type { Resource } from "../../resource.ts";

/** Maximum number of an issue's sessions whose actions are read, the latest linked sessions first. */
const LINKED = 50;

/** SQL for the id and the working folder of a session row. */
export const sessionIdAndFolderSql = (session: SqlRow): string =>
  sessionsWhere(session, `s.session_id = ${columnSql(session, "id")}`);

/** SQL for the sessions that are linked to an issue. */
export const linkedSessionsSql = (issue: SqlRow): string =>
  sessionsWhere(
    issue,
    `s.session_id in (select l."sessionId" from "issueSession" l where l."organizationId" = ${bindOrganization(issue.build)}
      and l."issueId" = ${columnSql(issue, "id")} order by l."createdAt" desc limit ${LINKED})`,
  );

const sessionsWhere = ({ build }: SqlRow, condition: string): string => {
  build.reads.add("recorded_action");
  return `select s.session_id, s.metadata ->> 'cwd' as cwd from recorded_session s
    where s.organization_id = ${bindOrganization(build)} and ${condition}`;
};

/** SQL for the latest actions `a` of a kind in each session `s` of a subquery. Raw SQL: a lateral join with a limit. */
export const actionsSql = ({ build }: SqlRow, sessions: string, kind: "file" | "commit", most: number): string =>
  `(${sessions}) s cross join lateral (select * from recorded_action x
    where x.organization_id = ${bindOrganization(build)} and x.session_id = s.session_id and x.kind = '${kind}'
    order by x.timestamp desc, x.event_id desc, x.position desc limit ${most}) a`;

/**
 * SQL for the path of an action `a` relative to a folder, because each agent may work in a different folder. Stored
 * paths contain slashes, so backslashes in a Windows folder are replaced. For a Windows folder, the comparison ignores
 * case.
 */
export const relativePathSql = (folder: string): string => {
  const own = `rtrim(regexp_replace(replace(${folder}, '\\', '/'), '/{2,}', '/', 'g'), '/')`;
  const isBelow = `case when ${own} ~ '^[A-Za-z]:' then starts_with(lower(a.path), lower(${own}) || '/')
    else starts_with(a.path, ${own} || '/') end`;
  return `case when ${isBelow} then substr(a.path, length(${own}) + 2) else a.path end`;
};

/**
 * Maximum number of changes that are summed: all stored changes of a single session, and the latest changes of each
 * session of an issue.
 */
const [OF_ONE, OF_EACH] = [5_000, 1_000];

/** A file that sessions changed, with the sum of the changes. */
export const recordedFileResource: Resource = {
  entity: {
    name: "RecordedFile",
    table: "",
    columns: {
      id: "text",
      path: "text",
      added: "integer",
      removed: "integer",
      edits: "integer",
      createdAt: "timestamp",
      updatedAt: "timestamp",
    },
    internal: { firstEventId: "uuid", lastEventId: "uuid" },
    one: {
      firstEvent: linkTo("RecordedEvent", "firstEventId"),
      lastEvent: linkTo("RecordedEvent", "lastEventId"),
    },
  },
};

/** SQL for the files that a session changed. */
export const sessionFilesSql = (session: SqlRow): string => files(session, sessionIdAndFolderSql(session), OF_ONE);

/** SQL for the files that an issue's sessions changed. */
export const issueFilesSql = (issue: SqlRow): string => files(issue, linkedSessionsSql(issue), OF_EACH);

/** Raw SQL: a fragment for the read planner. */
function files(row: SqlRow, sessions: string, most: number): string {
  const first = (direction: "asc" | "desc") =>
    `(array_agg(f.event_id order by f.timestamp ${direction}, f.event_id ${direction}))[1]`;
  return `select f.path as id, f.path, sum(f.added)::int as added, sum(f.removed)::int as removed, count(*)::int as edits,
      min(f.timestamp) as "createdAt", max(f.timestamp) as "updatedAt",
      ${first("asc")} as "firstEventId", ${first("desc")} as "lastEventId"
    from (select ${relativePathSql("s.cwd")} as path, a.added, a.removed, a.timestamp, a.event_id
      from ${actionsSql(row, sessions, "file", most)}) f
    group by f.path`;
}
