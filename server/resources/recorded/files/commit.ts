import type { SqlRow } from "../../../read/entity.ts";
import { linkTo } from "../../fields.ts";
import type { Resource } from "../../resource.ts";
import { actionsOf, itself, linkedTo } from "./sessions.ts";

/** Commits that a list has of each session. */
const MOST = 1_000;

/** A commit that git reported in a session. */
export const recordedCommit: Resource = {
  entity: {
    name: "RecordedCommit",
    table: "",
    columns: { id: "text", message: "text", branch: "text", createdAt: "timestamp" },
    internal: { eventId: "uuid", sessionId: "uuid" },
    one: { event: linkTo("RecordedEvent", "eventId"), session: linkTo("RecordedSession", "sessionId") },
  },
};

/** SQL of the commits of a session. */
export const commitsOfSession = (session: SqlRow): string =>
  commits(actionsOf(session, itself(session), "commit", MOST));

/** SQL of the commits of the sessions of an issue. */
export const commitsOfIssue = (issue: SqlRow): string => commits(actionsOf(issue, linkedTo(issue), "commit", MOST));

/** Raw SQL: a part of what the read planner writes. */
const commits = (actions: string): string =>
  `select a.sha as id, a.data ->> 'subject' as message, a.data ->> 'branch' as branch, a.timestamp as "createdAt",
    a.event_id as "eventId", a.session_id as "sessionId" from ${actions}`;
