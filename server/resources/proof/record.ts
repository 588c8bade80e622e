import { posix } from "node:path";
import type { WriteContext } from "../../write/write.ts";
import { linkArrivedSessionsOfIssue } from "../issue-session/link.ts";
import type { ActionEvent } from "../recorded/actions/action.ts";
import { readEffect } from "../recorded/actions/read.ts";
import { kindSql } from "../recorded/kinds.ts";
import type { ProofRecord, TimedAction } from "./acts.ts";

/** A recorded tool call. Long texts are cut to the length that is read. `at` is in milliseconds since 1970. */
export interface RecordedToolCall extends ActionEvent {
  id: string;
  session: string;
  message: string | null;
  at: number;
}

/**
 * Returns the actions of a session's calls, in order. A `cd` may affect later calls, because shells of agents may
 * persist.
 */
export function deriveTimedActions(calls: readonly RecordedToolCall[]): TimedAction[] {
  let lost: string | undefined;
  return calls.flatMap((call): TimedAction[] => {
    const { id, session, cwd, at, latency, open, agent } = call;
    const base = { event: id, session, from: at, until: open || latency === null ? null : at + latency };
    const effect = readEffect(call);
    if (effect.is === "change") return effect.paths.map((change) => ({ ...base, folder: cwd, change }));
    const { line, exitCode, isBackground } = effect;
    const folder = effect.folder === undefined ? (lost ?? cwd) : absolute(cwd, effect.folder);
    if (leads(line, folder) === "elsewhere") lost = `/?/${id}`;
    return [{ ...base, folder, command: { line, agent, exitCode, isBackground } }];
  });
}

const absolute = (cwd: string | null, path: string): string | null =>
  posix.isAbsolute(path) ? path : cwd === null ? null : posix.resolve(cwd, path);

/** Returns "elsewhere" if the shell may be in another folder after a line, otherwise "nowhere". */
function leads(line: string, folder: string | null): "elsewhere" | "nowhere" {
  const all = [...line.matchAll(/(?<![\w./-])(?:cd|pushd|popd|chdir|z)\b[ \t]*([^\s;&|)]*)/g)];
  const back = (to: string) => folder !== null && posix.isAbsolute(to) && posix.resolve(to) === posix.resolve(folder);
  return all.every(([, to = ""]) => back(to.replace(/^(["'])(.*)\1$/, "$2"))) ? "nowhere" : "elsewhere";
}

/** Maximum number of sessions of an issue that are read, newest first, and maximum number of their calls. */
const [SESSIONS, CALLS] = [20, 4_000];
/**
 * Maximum number of characters that are read from a call: of the arguments, of the beginning and of the end of the
 * result, and of the metadata.
 */
const [ARGS, RESULT, METADATA] = [8_192, 1_024, 8_192];

interface Linked {
  id: string;
  source: string | null;
  cwd: string | null;
  emptied: boolean;
}

/**
 * Raw SQL, like all statements here, because recorded sessions are not in the tracker's own tables. The limit is one
 * more than the number of sessions that are used, so that the code detects whether there are more.
 */
const LINKED = `select s.session_id as id, s.source, s.metadata ->> 'cwd' as cwd, s.texts_removed_at is not null as emptied
  from "issueSession" l join recorded_session s on s.organization_id = l."organizationId" and s.session_id = l."sessionId"
  where l."organizationId" = $1 and l."issueId" = $2 order by l."createdAt" desc, l."sessionId" limit ${SESSIONS + 1}`;

/**
 * Finds a claim by a session of which nothing is recorded. The claim does not count if another session now has the
 * lease, because all changes of the first session were made before the other session ran the demanded commands.
 */
const AWAITED = `select 1 from "awaitedSession" a where a."organizationId" = $1 and a."issueId" = $2 and a.kind = 'claimed'
  and not exists (select from "issueLease" l where l."organizationId" = $1 and l.id = $2
    and lower(l."sessionId") <> lower(a.reference)) limit 1`;

const READ = `select e.event_id as id, e.session_id as session, e.primitive_name as name, left(e.args, ${ARGS}) as args,
    case when length(e.result) > ${2 * RESULT} then left(e.result, ${RESULT}) || E'\\n[…]\\n' || right(e.result, ${RESULT}) else e.result end as result,
    left(e.metadata::text, ${METADATA}) as metadata, e.success, left(e.message, ${RESULT}) as message,
    (extract(epoch from e.timestamp) * 1000)::float8 as at, e.latency::float8 as latency, coalesce(e.open, false) as open, 'tool' as kind
  from recorded_event e where e.organization_id = $1 and e.session_id = any($2::uuid[]) and ${kindSql("e")} = 'tool'
  order by e.timestamp desc, e.event_id desc limit ${CALLS + 1}`;

/** Returns the calls of an issue's sessions, oldest first, and the reasons why calls are missing. */
export async function readCalls(
  write: WriteContext,
  issueId: string,
): Promise<{ calls: RecordedToolCall[]; gaps: string[] }> {
  const { trx, scope } = write;
  const values = [scope.organizationId, issueId];
  const linked = await trx.query<Linked>({
    text: LINKED,
    values,
    reads: ["issueSession", "recorded_session"],
    writes: [],
  });
  const reads = ["awaitedSession", "issueLease"];
  const [awaited] = await trx.query({ text: AWAITED, values, reads, writes: [] });
  const sessions = new Map(linked.slice(0, SESSIONS).map((each) => [each.id, each]));
  const rows = await trx.query<Omit<RecordedToolCall, "agent" | "cwd">>({
    text: READ,
    values: [scope.organizationId, [...sessions.keys()]],
    reads: ["recorded_event"],
    writes: [],
  });
  const gaps = [
    ...(linked.length === 0 && !awaited ? ["No recorded session is linked to the issue."] : []),
    ...(awaited ? ["A session that claimed the issue has no recording."] : []),
    ...(linked.length > SESSIONS ? [`More than ${SESSIONS} sessions are linked to it.`] : []),
    ...(rows.length > CALLS ? [`Its sessions have more than ${CALLS} calls of tools.`] : []),
    ...(linked.some(({ emptied }) => emptied) ? ["The event content of a linked session was deleted."] : []),
  ];
  const calls = rows.slice(0, CALLS).reverse();
  return {
    calls: calls.map((row) => ({
      ...row,
      agent: sessions.get(row.session)?.source ?? null,
      cwd: sessions.get(row.session)?.cwd ?? null,
    })),
    gaps,
  };
}

/** Returns the record of an issue for the judgment. */
export async function readRecord(write: WriteContext, issueId: string): Promise<ProofRecord> {
  await linkArrivedSessionsOfIssue(write, issueId);
  const { calls, gaps } = await readCalls(write, issueId);
  const sessions = [...new Set(calls.map(({ session }) => session))];
  const acts = sessions.flatMap((session) => deriveTimedActions(calls.filter((call) => call.session === session)));
  acts.sort((one, other) => one.from - other.from);
  return { acts, gaps, folders: [...new Set(calls.flatMap(({ cwd }) => cwd ?? []))] };
}
