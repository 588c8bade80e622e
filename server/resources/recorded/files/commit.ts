import { inputError } from "../../../errors.ts";
import { connectionJson } from "../../../read/connection/connection.ts";
import type { Build, SqlRow } from "../../../read/entity.ts";
import { rowJson } from "../../../read/plan.ts";
import { organization } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import { linkTo } from "../../fields.ts";
import type { Resource } from "../../resource.ts";
import { bound } from "../computed-row.ts";
import { actionsOf, itself, linkedTo } from "./file.ts";

/** Commits that a list has of each session, or of each name. */
const MOST = 1_000;
/** Names that one list takes, and the digits that git never goes below. */
const [SHAS, SHORTEST] = [50, 7];

/** A commit that git reported in a session. */
export const recordedCommit: Resource = {
  entity: {
    name: "RecordedCommit",
    table: "",
    columns: { id: "text", message: "text", branch: "text", createdAt: "timestamp" },
    internal: { eventId: "uuid", sessionId: "uuid" },
    one: { event: linkTo("RecordedEvent", "eventId"), session: linkTo("RecordedSession", "sessionId") },
  },
  values: {
    recordedCommits: {
      sql: (build, selection) =>
        connectionJson(build, {
          source: null,
          link: { entity: "RecordedCommit", rows: () => commits(named(build, selection)) },
          selection,
          rowJson,
        }),
    },
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

/** SQL of the commits of some names, as `a`: of two names one may be the beginning of the other. */
function named(build: Build, selection: Selection): string {
  build.reads.add("recorded_action");
  const own = `select * from recorded_action x where x.organization_id = ${organization(build)} and x.sha`;
  const shas = bound(build, selection, "shas", "text[]", ({ shas }) => shasIn(shas));
  const beginnings = bound(build, selection, "beginnings", "text[]", ({ shas }) =>
    shasIn(shas).flatMap((sha) =>
      Array.from({ length: sha.length - SHORTEST + 1 }, (_, at) => sha.slice(0, SHORTEST + at)),
    ),
  );
  return `((${own} = any(${beginnings}) limit ${MOST}) union all (select a.* from unnest(${shas}) n (sha)
    cross join lateral (${own} > n.sha and x.sha < n.sha || 'g' limit ${MOST}) a limit ${MOST})) a`;
}

/** @throws inputError for something that names no commit, and for too many */
function shasIn(given: unknown): string[] {
  const all = [...new Set((given as readonly string[]).map((sha) => sha.toLowerCase()))];
  if (all.length > SHAS) throw inputError(`shas must be at most ${SHAS}`, "shas");
  const wrong = all.find((sha) => !/^[0-9a-f]{7,64}$/.test(sha));
  if (wrong === undefined) return all;
  throw inputError("shas must be names of commits: 7 to 64 hexadecimal digits each", "shas");
}
