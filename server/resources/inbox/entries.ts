import type { SqlRow } from "../../read/entity.ts";
import { bind, caller, organization, tableOf } from "../../read/row.ts";
import { isInState, STUCK_MS, sinceAt, stateAt } from "../recorded/sessions/state.ts";

/** The newest entries that one source gives: an inbox is read by a person. */
export const MOST = 500;
const DAY_MS = 24 * 60 * 60 * 1000;
/** A session of which nothing came for so long waits for nobody any more; and how long before that it may have begun. */
const SESSION_DAYS = { silent: 7, begun: 37 };

/** The parameters that the sources of entries share. */
export interface Reach {
  organization: string;
  caller: string;
  /** SQL of the moment so many days ago. */
  daysAgo(days: number): string;
  stuckBefore: string;
}

/** A source of entries: SQL of rows with these columns. */
const COLUMNS = [
  "id",
  "type",
  "createdAt",
  "question",
  "sessionId",
  "eventId",
  "issueId",
  "failureGroupId",
  "commentId",
  "holderId",
] as const;
type Entry = Partial<Record<(typeof COLUMNS)[number], string>>;

const TYPES: Partial<Record<string, string>> = { type: "text", createdAt: "timestamptz", question: "text" };

/** SQL of the columns of an entry; those that a source has not are null. The id is made of the kind of the source and its row. */
const entry = (kind: string, row: string, columns: Entry): string =>
  COLUMNS.map((name) => {
    const sql = name === "id" ? `md5('${kind} ' || ${row})::uuid` : (columns[name] ?? "null");
    return `(${sql})::${TYPES[name] ?? "uuid"} as "${name}"`;
  }).join(", ");

/** Sessions whose agents wait for a person, that are stuck, or that repeat themselves. Each state is one range of an index. */
function sessions({ organization: own, stuckBefore, daysAgo }: Reach): string {
  const some = ["waitingForPermission", "waitingForAnswer", "stuck", "looping"].map(
    (
      state,
    ) => `(select * from recorded_session s where s.organization_id = ${own} and ${isInState(state, "s", () => stuckBefore)}
      and s."timestamp" > ${daysAgo(SESSION_DAYS.begun)} and s.last_received_at > ${daysAgo(SESSION_DAYS.silent)}
      order by s."timestamp" desc limit ${MOST})`,
  );
  return `select ${entry("session", "s.session_id", {
    type: stateAt("s", stuckBefore),
    createdAt: sinceAt("s", stuckBefore),
    question: "s.waits_for",
    sessionId: "s.session_id",
    eventId: `case when ${stateAt("s", stuckBefore)} = 'looping' then s.loop_event else s.waits_event end`,
  })} from (${some.join(" union all ")}) s`;
}

const SOURCES: readonly ((reach: Reach) => string)[] = [sessions];

/** SQL of every entry of an organization for one of its users, with what the user did about each. Raw SQL: a part of what the read planner writes. */
export const entriesSql = (reach: Reach, states = '"inboxState"'): string =>
  `select e.*, e."createdAt" as "updatedAt", t."readAt", t."doneAt", t."snoozedUntilAt"
    from (${SOURCES.map((source) => source(reach)).join(" union all ")}) e
    left join ${states} t on t."organizationId" = ${reach.organization} and t."userId" = ${reach.caller} and t.id = e.id
      and t.since = e."createdAt"`;

/** The same for the caller of a query. */
export function entries({ build }: SqlRow): string {
  for (const table of ["recorded_session"]) build.reads.add(table);
  const ago = (name: string, ms: number) =>
    bind(build, name, "timestamptz", ({ scope }) => new Date(scope.at.getTime() - ms).toISOString());
  const reach: Reach = {
    organization: organization(build),
    caller: caller(build),
    daysAgo: (days) => ago(`days.${days}`, days * DAY_MS),
    stuckBefore: ago("stuck.before", STUCK_MS),
  };
  return entriesSql(reach, tableOf(build, "inboxState"));
}
