import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, open, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Places } from "../files/places.ts";
import { tell } from "../output/print.ts";

/** A session in opencode's database; one that a tool began has the session around it. */
interface Row {
  id: string;
  parent_id: string | null;
  /** Epoch ms. */
  time_updated: number;
}

/** Sessions that are exported at most, those that changed last. */
const MOST = 1_000;
const LIST = `select id, parent_id, time_updated from session order by time_updated desc limit ${MOST}`;
/** One export, or the list, may take so long. */
const LIMIT_MS = 60_000;
/** Exports that run side by side: each starts the program. */
const SIDE_BY_SIDE = 2;

/** The folder of exported sessions: a folder for each, with the files of its subagents beside its own. */
const exportFolder = ({ config }: Pick<Places, "config">): string => join(config, "imports", "opencode");

/**
 * Has opencode export its sessions, which it keeps in a database: those that changed since `since`, epoch ms, and since they
 * were exported last. The files of sessions that it has no longer are removed. Without opencode there is nothing to do.
 */
async function exportSessions(places: Places, since: number): Promise<void> {
  const rows = await list(places.env);
  if (!rows) return;
  const folder = exportFolder(places);
  const above = new Map(rows.map(({ id, parent_id }) => [id, parent_id]));
  const roots = new Set(rows.map(({ id }) => rootOf(id, above)));
  for (const name of await readdir(folder).catch(() => []))
    if (!roots.has(name)) await rm(join(folder, name), { recursive: true, force: true });
  const queue = rows.filter(({ time_updated }) => time_updated >= since).values();
  const work = async () => {
    for (const row of queue) await exportOne(places.env, row, join(folder, rootOf(row.id, above)));
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
    if (code !== "ENOENT") tell(`opencode does not list its sessions: ${message.split("\n")[0]}`);
    return undefined;
  }
}

/** The session around all others, as far as they are listed. */
function rootOf(id: string, above: ReadonlyMap<string, string | null>): string {
  const parent = above.get(id) ?? null;
  return parent === null || !above.has(parent) ? id : rootOf(parent, above);
}

/** Writes a session's file, whole or not at all. Its time is that of the session, by which it is known to be new. */
async function exportOne(env: NodeJS.ProcessEnv, { id, time_updated }: Row, folder: string): Promise<void> {
  const path = join(folder, `${id}.json`);
  const there = await stat(path).catch(() => undefined);
  if (there && Math.abs(there.mtimeMs - time_updated) < 1) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = `${path}.part`;
  const file = await open(part, "w", 0o600);
  const child = spawn("opencode", ["export", id], { env, stdio: ["ignore", file.fd, "ignore"], timeout: LIMIT_MS });
  const [code] = await once(child, "exit");
  await file.close();
  if (code !== 0) tell(`opencode does not export ${id}.`);
  else {
    await utimes(part, time_updated / 1_000, time_updated / 1_000);
    await rename(part, path);
  }
  await rm(part, { force: true });
}

/** An agent that keeps its sessions in files. */
export interface Source {
  /** As Trackway names it, and in the address that its lines are posted to. */
  name: string;
  /** Its folders. */
  folders(places: Places): string[];
  /** The end of its files' paths. */
  file: RegExp;
  /** The lines that tell of the session; others stay where they are. */
  wanted?: RegExp;
  /** The beginning of its files, by which one in another folder is known. */
  begins: RegExp;
  /** Has the agent write them first, where it keeps its sessions elsewhere; those since a moment, epoch ms. */
  export?(places: Places, since: number): Promise<void>;
  /** False where hooks or telemetry record it while it runs: `--watch` follows the others. */
  watched: boolean;
}

const inHome =
  (...names: string[]) =>
  (places: Places) =>
    names.map((name) => join(places.home, name));

/** The agents. Each has its reader on the server. */
export const SOURCES: readonly Source[] = [
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
    file: /rollout-[^/]*\.jsonl$/,
    wanted:
      /"type":\s*"(?:session_meta|turn_context|response_item|event_msg|compacted|token_usage_record)"(?!,"payload":\{"type":"message"[^}]*"role":"developer")/,
    begins: /^\{[^\n]*"type":\s*"session_meta"/,
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
    // It keeps them in a database: `opencode export SESSION` prints one.
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
