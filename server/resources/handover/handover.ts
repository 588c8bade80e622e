import { findRowOrThrow } from "../../write/find.ts";
import type { LoadedRow } from "../../write/rows.ts";
import type { WriteContext } from "../../write/write.ts";
import { linkArrivedSessionsOfIssue } from "../issue-session/link.ts";
import { type RecordedToolCall, readCalls } from "../proof/record.ts";
import { isTurnSql } from "../recorded/kinds.ts";
import { buildHandover } from "./text.ts";

/** The parts of a session that the handover shows. */
interface SessionBrief {
  id: string;
  agent: string | null;
  url: string;
  cost: number | null;
}

/** A turn: the prompt, and the agent's last reply. */
interface Turn {
  id: string;
  session: string;
  asked: string;
  answered: string;
}

/** Data for a handover. Sessions are ordered from newest to oldest; calls and turns from oldest to newest. */
export interface HandoverData {
  sessions: SessionBrief[];
  calls: RecordedToolCall[];
  first: Turn | undefined;
  last: Turn | undefined;
}

const TEXT = 4_096;

/** Raw SQL, like all statements here, because recorded sessions are not in the tracker's own tables. */
const SESSIONS = `select s.session_id as id, s.source as agent, o."urlKey" as "urlKey",
    (s.cost + coalesce((select sum(d.cost) from recorded_delta d where d.organization_id = $1 and d.session_id = s.session_id), 0))::float8 as cost
  from "issueSession" l join recorded_session s on s.organization_id = l."organizationId" and s.session_id = l."sessionId"
    join organization o on o.id = l."organizationId"
  where l."organizationId" = $1 and l."issueId" = $2 and (l.claimed or l.mentioned) order by l."createdAt" desc, l.id limit 4`;

const turn = (
  direction: "asc" | "desc",
) => `(select e.event_id as id, e.session_id as session, left(e.args, ${TEXT}) as asked,
    right(e.result, ${TEXT}) as answered
  from recorded_event e where e.organization_id = $1 and e.session_id = $2 and ${isTurnSql("e")}
  order by e.timestamp ${direction}, e.event_id ${direction} limit 1)`;

/** Reads the data for a handover. Undefined for an issue without recorded sessions. */
async function readHandover(write: WriteContext, issueId: string): Promise<HandoverData | undefined> {
  const { trx, scope } = write;
  const { organizationId, publicUrl } = scope;
  await linkArrivedSessionsOfIssue(write, issueId);
  const rows = await trx.query<Omit<SessionBrief, "url"> & { urlKey: string }>({
    text: SESSIONS,
    values: [organizationId, issueId],
    reads: ["issueSession", "recorded_session", "recorded_delta", "organization"],
    writes: [],
  });
  const [latest] = rows;
  if (!latest) return undefined;
  const { calls } = await readCalls(write, issueId);
  const turns = await trx.query<Turn>({
    text: `${turn("asc")} union all ${turn("desc")}`,
    values: [organizationId, latest.id],
    reads: ["recorded_event"],
    writes: [],
  });
  const known = new Set(rows.map(({ id }) => id));
  return {
    sessions: rows.map(({ urlKey, ...row }) => ({ ...row, url: `${publicUrl}/${urlKey}/sessions/${row.id}` })),
    calls: calls.filter(({ session }) => known.has(session)),
    first: turns[0],
    last: turns[1],
  };
}

/** Raw SQL: stores the handover of one issue, replacing the previous handover. */
const STORE = `insert into "issueHandover" ("organizationId", id, text, "writtenAt") values ($1, $2, $3, $4)
  on conflict ("organizationId", id) do update set text = excluded.text, "writtenAt" = excluded."writtenAt"`;
const DROP = `delete from "issueHandover" where "organizationId" = $1 and id = $2`;

/**
 * Writes an issue's handover from the current recordings of its sessions. Deletes the handover if no session exists.
 */
export async function writeHandover(
  write: WriteContext,
  issue: Pick<LoadedRow<"Issue">, "id" | "identifier" | "title">,
): Promise<void> {
  const material = await readHandover(write, issue.id);
  const key = [write.scope.organizationId, issue.id];
  const statement = material
    ? { text: STORE, values: [...key, buildHandover(issue, material), write.at] }
    : { text: DROP, values: key };
  write.direct = true;
  await write.trx.query({ ...statement, reads: [], writes: ["issueHandover"] });
}

/** Writes the handover on request, because events may have arrived after the lease ended. */
export async function issueHandover(write: WriteContext, { id }: { id: string }) {
  const issue = await findRowOrThrow(write, "Issue", id);
  await writeHandover(write, issue);
  return { id: issue.id };
}
