import { join } from "node:path";
import type { Places } from "../files/places.ts";
import { exportFolder, exportSessions } from "./opencode.ts";

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
