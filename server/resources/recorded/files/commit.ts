import { inputError } from "../../../errors.ts";
import { connectionJsonSql } from "../../../read/connection/connection.ts";
import type { SqlRow, StatementBuild } from "../../../read/entity.ts";
import { rowJson } from "../../../read/plan.ts";
import { bindOrganization } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";
import { linkTo } from "../../fields.ts";
import type { Resource } from "../../resource.ts";
import { bindArgument } from "../computed-row.ts";
import { actionsSql, linkedSessionsSql, sessionIdAndFolderSql } from "./file.ts";

/** Maximum number of commits in a list, per session or per name. */
const MOST = 1_000;
/** Maximum number of commit names in a request. Minimum number of digits in a short commit name, as in git. */
const [SHAS, SHORTEST] = [50, 7];

/** A commit that git reported in the output of a recorded command. */
export const recordedCommitResource: Resource = {
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
        connectionJsonSql(build, {
          source: null,
          link: { entity: "RecordedCommit", rows: () => commits(named(build, selection)) },
          selection,
          rowJson,
        }),
    },
  },
};

export const sessionCommitsSql = (session: SqlRow): string =>
  commits(actionsSql(session, sessionIdAndFolderSql(session), "commit", MOST));

/** SQL for the commits of an issue's sessions. */
export const issueCommitsSql = (issue: SqlRow): string =>
  commits(actionsSql(issue, linkedSessionsSql(issue), "commit", MOST));

/** Raw SQL: a fragment for the read planner. */
const commits = (actions: string): string =>
  `select a.sha as id, a.data ->> 'subject' as message, a.data ->> 'branch' as branch, a.timestamp as "createdAt",
    a.event_id as "eventId", a.session_id as "sessionId" from ${actions}`;

/**
 * SQL for the commits `a` with given names. A given and a stored name match if either is the beginning of the other.
 */
function named(build: StatementBuild, selection: Selection): string {
  build.reads.add("recorded_action");
  const own = `select * from recorded_action x where x.organization_id = ${bindOrganization(build)} and x.sha`;
  const shas = bindArgument(build, selection, "shas", "text[]", ({ shas }) => shasIn(shas));
  const beginnings = bindArgument(build, selection, "beginnings", "text[]", ({ shas }) =>
    shasIn(shas).flatMap((sha) =>
      Array.from({ length: sha.length - SHORTEST + 1 }, (_, at) => sha.slice(0, SHORTEST + at)),
    ),
  );
  return `((${own} = any(${beginnings}) limit ${MOST}) union all (select a.* from unnest(${shas}) n (sha)
    cross join lateral (${own} > n.sha and x.sha < n.sha || 'g' limit ${MOST}) a limit ${MOST})) a`;
}

/** @throws inputError for an invalid commit name, and for too many names */
function shasIn(given: unknown): string[] {
  const all = [...new Set((given as readonly string[]).map((sha) => sha.toLowerCase()))];
  if (all.length > SHAS) throw inputError(`shas must be at most ${SHAS}`, "shas");
  const wrong = all.find((sha) => !/^[0-9a-f]{7,64}$/.test(sha));
  if (wrong === undefined) return all;
  throw inputError("shas must be names of commits: 7 to 64 hexadecimal digits each", "shas");
}
