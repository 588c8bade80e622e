import { posix } from "node:path";
import type { Write } from "../../write/write.ts";
import { linkArrivedOf } from "../issue-session/link.ts";
import type { ActionEvent } from "../recorded/actions/action.ts";
import { effectOf } from "../recorded/actions/read.ts";
import { kindOf } from "../recorded/kinds.ts";
import type { Act, Record } from "./acts.ts";

/** A recorded call of a tool, with as much of its texts as is read. `at` is in ms since the epoch. */
export interface Call extends ActionEvent {
  id: string;
  session: string;
  message: string | null;
  at: number;
}

/** The acts that calls of one session are, in their order. A `cd` may hold for the calls after it: shells of agents go on. */
export function actsOf(calls: readonly Call[]): Act[] {
  let lost: string | undefined;
  return calls.flatMap((call): Act[] => {
    const { id, session, cwd, at, latency, open, agent } = call;
    const base = { event: id, session, from: at, until: open || latency === null ? null : at + latency };
    const effect = effectOf(call);
    if (effect.is === "change") return effect.paths.map((change) => ({ ...base, folder: cwd, change }));
    const { line, exitCode, isBackground } = effect;
    const folder = effect.folder === undefined ? (lost ?? cwd) : absolute(cwd, effect.folder);
    if (leads(line, folder) === "elsewhere") lost = `/?/${id}`;
    return [{ ...base, folder, command: { line, agent, exitCode, isBackground } }];
  });
}

const absolute = (cwd: string | null, path: string): string | null =>
  posix.isAbsolute(path) ? path : cwd === null ? null : posix.resolve(cwd, path);

/** Finds out if a line may leave its shell in another folder than it began in. */
function leads(line: string, folder: string | null): "elsewhere" | "nowhere" {
  const all = [...line.matchAll(/(?<![\w./-])(?:cd|pushd|popd|chdir|z)\b[ \t]*([^\s;&|)]*)/g)];
  const back = (to: string) => folder !== null && posix.isAbsolute(to) && posix.resolve(to) === posix.resolve(folder);
  return all.every(([, to = ""]) => back(to.replace(/^(["'])(.*)\1$/, "$2"))) ? "nowhere" : "elsewhere";
}

/** Sessions of an issue that are read, the latest first, and calls of them. */
const [SESSIONS, CALLS] = [20, 4_000];
/** Characters of a call's arguments, of either end of its result, and of its metadata. */
const [ARGS, RESULT, METADATA] = [8_192, 1_024, 8_192];

interface Linked {
  id: string;
  source: string | null;
  cwd: string | null;
  emptied: boolean;
}

/** Raw SQL, as all here: sessions are no rows of the tracker. One more than is read shows that there are more. */
const LINKED = `select s.session_id as id, s.source, s.metadata ->> 'cwd' as cwd, s.texts_removed_at is not null as emptied
  from "issueSession" l join recorded_session s on s.organization_id = l."organizationId" and s.session_id = l."sessionId"
  where l."organizationId" = $1 and l."issueId" = $2 order by l."createdAt" desc, l."sessionId" limit ${SESSIONS + 1}`;

/**
 * A claim of a session of which nothing is recorded. Under the lease of another session it counts no more: whatever it
 * changed was there before that one ran what is demanded.
 */
const AWAITED = `select 1 from "awaitedSession" a where a."organizationId" = $1 and a."issueId" = $2 and a.kind = 'claimed'
  and not exists (select from "issueLease" l where l."organizationId" = $1 and l.id = $2
    and lower(l."sessionId") <> lower(a.reference)) limit 1`;

const READ = `select e.event_id as id, e.session_id as session, e.primitive_name as name, left(e.args, ${ARGS}) as args,
    case when length(e.result) > ${2 * RESULT} then left(e.result, ${RESULT}) || E'\\n[…]\\n' || right(e.result, ${RESULT}) else e.result end as result,
    left(e.metadata::text, ${METADATA}) as metadata, e.success, left(e.message, ${RESULT}) as message,
    (extract(epoch from e.timestamp) * 1000)::float8 as at, e.latency::float8 as latency, coalesce(e.open, false) as open, 'tool' as kind
  from recorded_event e where e.organization_id = $1 and e.session_id = any($2::uuid[]) and ${kindOf("e")} = 'tool'
  order by e.timestamp desc, e.event_id desc limit ${CALLS + 1}`;

/** The calls of the sessions that are linked to an issue, the oldest first, and why they are not all there. */
export async function callsOf(write: Write, issueId: string): Promise<{ calls: Call[]; gaps: string[] }> {
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
  const rows = await trx.query<Omit<Call, "agent" | "cwd">>({
    text: READ,
    values: [scope.organizationId, [...sessions.keys()]],
    reads: ["recorded_event"],
    writes: [],
  });
  const gaps = [
    ...(linked.length === 0 && !awaited ? ["No recorded session is linked to the issue."] : []),
    ...(awaited ? ["Nothing is recorded of a session that claimed it."] : []),
    ...(linked.length > SESSIONS ? [`More than ${SESSIONS} sessions are linked to it.`] : []),
    ...(rows.length > CALLS ? [`Its sessions have more than ${CALLS} calls of tools.`] : []),
    ...(linked.some(({ emptied }) => emptied) ? ["Texts of one of its sessions were removed."] : []),
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

/** The record of an issue as it is judged. */
export async function recordOf(write: Write, issueId: string): Promise<Record> {
  await linkArrivedOf(write, issueId);
  const { calls, gaps } = await callsOf(write, issueId);
  const sessions = [...new Set(calls.map(({ session }) => session))];
  const acts = sessions.flatMap((session) => actsOf(calls.filter((call) => call.session === session)));
  acts.sort((one, other) => one.from - other.from);
  return { acts, gaps, folders: [...new Set(calls.flatMap(({ cwd }) => cwd ?? []))] };
}
