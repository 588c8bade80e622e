import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { UserEnvironment } from "../files/places.ts";
import { printToStderr } from "../output/print.ts";

/** A session in opencode's database. A session that a tool started has a parent. */
interface Row {
  id: string;
  parent_id: string | null;
  /** Epoch ms. */
  time_updated: number;
}

/** Maximum number of exported sessions; the most recently changed are exported. */
const MOST = 1_000;
const LIST = `select id, parent_id, time_updated from session order by time_updated desc limit ${MOST}`;
/** Maximum duration of one export, or of the list. */
const LIMIT_MS = 60_000;
/** Number of simultaneous exports; each starts opencode. */
const SIDE_BY_SIDE = 2;

/**
 * Returns the folder for exported sessions. The folder contains a subfolder for each session, with the files of the
 * session and its subagents.
 */
const exportFolder = ({ config }: Pick<UserEnvironment, "config">): string => join(config, "imports", "opencode");

/**
 * Runs opencode to export sessions from opencode's database. Exports only sessions that changed since `since` (ms since
 * 1970) and since their last export. Deletes the exported folder of an outermost session, with the files of its
 * subagents, if opencode no longer lists the session. Does nothing if opencode is not installed.
 */
async function exportSessions(places: UserEnvironment, since: number): Promise<void> {
  const rows = await list(places.env);
  if (!rows) return;
  const folder = exportFolder(places);
  const above = new Map(rows.map(({ id, parent_id }) => [id, parent_id]));
  const roots = new Set(rows.map(({ id }) => findRoot(id, above)));
  for (const name of await readdir(folder).catch(() => []))
    if (!roots.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  const queue = rows.filter(({ time_updated }) => time_updated >= since).values();
  const work = async () => {
    for (const row of queue) await exportOne(places.env, row, join(folder, findRoot(row.id, above)));
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
}

async function list(env: NodeJS.ProcessEnv): Promise<Row[] | undefined> {
  const run = promisify(execFile);
  try {
    const { stdout } = await run("opencode", ["db", LIST, "--format", "json"], { env, timeout: LIMIT_MS });
    return (JSON.parse(stdout || "[]") as Row[]).filter(({ id }) => /^ses_\w+$/.test(id));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") printToStderr(`opencode does not list its sessions: ${message.split("\n")[0]}`);
    return undefined;
  }
}

/** Follows the parents of a session and returns the last one that is in the list of sessions. */
function findRoot(id: string, above: ReadonlyMap<string, string | null>): string {
  const parent = above.get(id) ?? null;
  return parent === null || !above.has(parent) ? id : findRoot(parent, above);
}

/**
 * Exports a session to a file. The file is written completely or not at all. The file's modification time is set to the
 * time of the session's last change, so that the next export can detect newer changes.
 */
async function exportOne(env: NodeJS.ProcessEnv, { id, time_updated }: Row, folder: string): Promise<void> {
  const path = join(folder, `${id}.json`);
  const there = await stat(path).catch(() => undefined);
  if (there && Math.abs(there.mtimeMs - time_updated) < 1) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = `${path}.part`;
  // Deletes the unfinished file of an export that was killed. The file is then created anew and never overwritten,
  // because another user may have put a link at this path.
  await rm(part, { force: true });
  const file = await open(part, "wx", 0o600);
  const child = spawn("opencode", ["export", id], { env, stdio: ["ignore", file.fd, "ignore"], timeout: LIMIT_MS });
  const [code] = await once(child, "exit");
  await file.close();
  if (code !== 0) printToStderr(`opencode does not export ${id}.`);
  else {
    await utimes(part, time_updated / 1_000, time_updated / 1_000);
    await rename(part, path);
  }
  await rm(part, { force: true });
}

export interface SessionSource {
  /** Trackway's name for the agent. The URL to which the agent's lines are sent contains this name. */
  name: string;
  /** Returns the folders of the agent's session files. */
  folders(places: UserEnvironment): string[];
  /** Matches the end of the paths of session files. */
  file: RegExp;
  /** Matches the end of the paths of session files in an unknown format. */
  others?: RegExp;
  /** Matches the lines that describe the session. Other lines are not sent. */
  wanted?: RegExp;
  /** Matches the beginning of session files, to identify files in other folders. */
  begins: RegExp;
  /**
   * Exports sessions to files before the search for session files. Exists only for an agent that does not store
   * sessions in files. Exports only sessions that changed since `since`, a time in ms since 1970.
   */
  export?(places: UserEnvironment, since: number): Promise<void>;
  /**
   * True if `--watch` imports new sessions of this agent even when no `--agent` is given. False if hooks or telemetry
   * already record the agent while it runs.
   */
  watched: boolean;
}

const inHome =
  (...names: string[]) =>
  (places: UserEnvironment) =>
    names.map((name) => join(places.home, name));

/** Agents whose session files can be imported. The server has a reader for each. */
export const SESSION_SOURCES: readonly SessionSource[] = [
  {
    name: "claude-code",
    folders: ({ env, home }) => [join(env["CLAUDE_CONFIG_DIR"] || join(home, ".claude"), "projects")],
    file: /\.jsonl$/,
    wanted:
      /"type":\s*"(?:user|assistant|custom-title|ai-title|summary|api-request|session_context)"|"subtype":\s*"compact_boundary"/,
    begins: /^\{(?=[^\n]*"sessionId")(?=[^\n]*"(?:parentUuid|operation|snapshot|mode)")|^\{"type":"summary"/,
    watched: false,
  },
  {
    name: "codex",
    folders: ({ env, home }) =>
      ["sessions", "archived_sessions"].map((name) => join(env["CODEX_HOME"] || join(home, ".codex"), name)),
    file: /rollout-[^/]*\.jsonl(?:\.zst)?$/,
    others: /rollout-[^/]*\.json$/,
    wanted:
      /"type":\s*"(?:session_meta|turn_context|response_item|event_msg|compacted|token_usage_record)"(?!,"payload":\{"type":"message"[^}]*"role":"developer")|^\{"(?:id|type)":/,
    begins: /^\{[^\n]*"type":\s*"session_meta"|^\{"id":[^\n]*"instructions"/,
    watched: false,
  },
  {
    name: "gemini-cli",
    folders: inHome(".gemini/tmp"),
    file: /\/chats\/(?:session-[^/]*\.jsonl?|[\da-f-]{36}\/[^/]*\.jsonl)$/,
    wanted: /^\{"(?:sessionId|id)"/,
    begins: /^\{\s*"sessionId":[^\n]*\s*"projectHash"/,
    watched: false,
  },
  {
    name: "github-copilot",
    folders: ({ env, home }) => [join(env["COPILOT_HOME"] || join(home, ".copilot"), "session-state")],
    file: /\/events\.jsonl$/,
    wanted: /^\{"type":"(?!system\.message)/,
    begins: /^\{"type":"session\.start"/,
    watched: false,
  },
  {
    name: "qwen-code",
    folders: inHome(".qwen/projects"),
    file: /\/(?:chats|subagents\/[^/]*)\/[^/]*\.jsonl$/,
    begins: /^\{"uuid":[^\n]*"sessionId":[^\n]*"parts"/,
    watched: false,
  },
  {
    // opencode stores sessions in a database. `opencode export SESSION` prints one session.
    name: "opencode",
    folders: (places) => [exportFolder(places)],
    file: /\.json$/,
    export: exportSessions,
    begins: /^\{\s*"info":\s*\{\s*"id":\s*"ses_/,
    watched: false,
  },
  {
    name: "pi",
    folders: ({ env, home }) => [
      env["PI_CODING_AGENT_SESSION_DIR"] || join(env["PI_CODING_AGENT_DIR"] || join(home, ".pi", "agent"), "sessions"),
    ],
    file: /\.jsonl$/,
    begins: /^\{"type":"session",/,
    watched: true,
  },
];
