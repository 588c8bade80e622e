import type { SqlRow } from "../../../read/entity.ts";
import { linkTo } from "../../fields.ts";
import type { Resource } from "../../resource.ts";
import { actionsOf, below, itself, linkedTo } from "./sessions.ts";

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
