import type { SqlRow } from "../../../read/entity.ts";
import { column, organization } from "../../../read/row.ts";
import { linkTo } from "../../fields.ts";
import type { Resource } from "../../resource.ts";

/** Sessions of an issue whose actions are read, the latest linked ones first. */
const LINKED = 50;

/** SQL of the session that a row is, as its actions are read: its id and the folder that it works in. */
export const itself = (session: SqlRow): string => sessionsWhere(session, `s.session_id = ${column(session, "id")}`);

/** SQL of the sessions that are linked to an issue. */
export const linkedTo = (issue: SqlRow): string =>
  sessionsWhere(
    issue,
    `s.session_id in (select l."sessionId" from "issueSession" l where l."organizationId" = ${organization(issue.build)}
      and l."issueId" = ${column(issue, "id")} order by l."createdAt" desc limit ${LINKED})`,
  );

const sessionsWhere = ({ build }: SqlRow, condition: string): string => {
  build.reads.add("recorded_action");
  return `select s.session_id, s.metadata ->> 'cwd' as cwd from recorded_session s
    where s.organization_id = ${organization(build)} and ${condition}`;
};

/** SQL of the latest actions of a kind, as `a`, of each session `s` that other SQL finds. Raw SQL: a lateral with its bound. */
export const actionsOf = ({ build }: SqlRow, sessions: string, kind: "file" | "commit", most: number): string =>
  `(${sessions}) s cross join lateral (select * from recorded_action x
    where x.organization_id = ${organization(build)} and x.session_id = s.session_id and x.kind = '${kind}'
    order by x.timestamp desc, x.event_id desc, x.position desc limit ${most}) a`;

/** SQL of the path of an action `a` below the folder that SQL names: each agent may work in a folder of its own. */
export const below = (folder: string): string =>
  `case when starts_with(a.path, ${folder} || '/') then substr(a.path, length(${folder}) + 2) else a.path end`;

/** Changes that are added up: all that are kept of one session, and the latest of each session of an issue. */
const [OF_ONE, OF_EACH] = [5_000, 1_000];

/** A file that sessions changed, with all that they did to it. */
export const recordedFile: Resource = {
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

/** SQL of the files that a session changed. */
export const filesOfSession = (session: SqlRow): string => files(session, itself(session), OF_ONE);

/** SQL of the files that the sessions of an issue changed. */
export const filesOfIssue = (issue: SqlRow): string => files(issue, linkedTo(issue), OF_EACH);

/** Raw SQL: a part of what the read planner writes. */
function files(row: SqlRow, sessions: string, most: number): string {
  const first = (direction: "asc" | "desc") =>
    `(array_agg(f.event_id order by f.timestamp ${direction}, f.event_id ${direction}))[1]`;
  return `select f.path as id, f.path, sum(f.added)::int as added, sum(f.removed)::int as removed, count(*)::int as edits,
      min(f.timestamp) as "createdAt", max(f.timestamp) as "updatedAt",
      ${first("asc")} as "firstEventId", ${first("desc")} as "lastEventId"
    from (select ${below("s.cwd")} as path, a.added, a.removed, a.timestamp, a.event_id
      from ${actionsOf(row, sessions, "file", most)}) f
    group by f.path`;
}
