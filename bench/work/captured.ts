import { readFileSync } from "node:fs";

/**
 * Transcripts of real programs, one per format, and the path at which each
 * program stores a session in the home folder.
 */
const RUNS: readonly { file: string; path(id: string): string }[] = [
  { file: "claude-code-2.1.330/plain/session.jsonl", path: (id) => `.claude/projects/-srv-parcels/${id}.jsonl` },
  { file: "codex-0.169.0/plain/session.jsonl", path: (id) => `.codex/sessions/2026/11/23/rollout-${id}.jsonl` },
  { file: "gemini-cli-0.61.0/plain/session.jsonl", path: (id) => `.gemini/tmp/parcels/chats/session-${id}.jsonl` },
  { file: "github-copilot-1.0.102/plain/session.jsonl", path: (id) => `.copilot/session-state/${id}/events.jsonl` },
  { file: "qwen-code-0.24.4/plain/session.jsonl", path: (id) => `.qwen/projects/-srv-parcels/chats/${id}.jsonl` },
  {
    file: "opencode-1.18.33/plain/export.json",
    path: (id) => `.config/trackway/imports/opencode/ses_${id}/ses_${id}.json`,
  },
  { file: "pi-0.73.1/plain/session.jsonl", path: (id) => `.pi/agent/sessions/--srv--/${id}.jsonl` },
];

/** The text of a failed call in every transcript. The bench appends longer results to the text. */
const ERROR = "No such file or directory";
const FILE = "@FILE@";
const REPEAT_MS = 600_000;

/** A transcript file for any number of sessions, which differ only by their ids. */
export interface TranscriptTemplate {
  path(n: number): string;
  text(n: number): string;
}

/** Extends each transcript to a session of about `bytes` bytes. Each turn's result is `result` characters longer. */
export function buildCapturedSessions(bytes: number, result: number): TranscriptTemplate[] {
  const more = " It rattles, and is weighed again.".repeat(result / 34);
  return RUNS.map(({ file, path }) => {
    const captured = readFileSync(new URL(`../../test/fixtures/transcripts/${file}`, import.meta.url), "utf8");
    const run = captured.replaceAll(ERROR, `${ERROR}${more}`);
    const times = Math.max(1, Math.round(bytes / run.length));
    const text = (file.endsWith(".json") ? objectOf : linesOf)(run, times);
    return { path: (n) => path(idOf(n)), text: (n) => text.replaceAll(FILE, idOf(n)) };
  });
}

const idOf = (n: number): string => n.toString(16).padStart(12, "0");

/** Repeats the lines of a transcript. The first line, which begins the session, stays single. */
function linesOf(run: string, times: number): string {
  const [first = "", ...others] = run.trim().split("\n");
  const session = sessionIn(first) ?? sessionIn(run) ?? "";
  const repeats = Array.from({ length: times }, (_, n) => renewed(others.join("\n"), session, n));
  return `${[renewed(first, session, 0), ...repeats].join("\n")}\n`;
}

/** Repeats the messages of a session stored as one JSON object. */
function objectOf(run: string, times: number): string {
  const { info, messages } = JSON.parse(run);
  const [beginning, body] = [JSON.stringify(info), JSON.stringify(messages).slice(1, -1)];
  const repeats = Array.from({ length: times }, (_, n) => renewed(body, info.id, n));
  return `{"info":${renewed(beginning, info.id, 0)},"messages":[${repeats.join(",")}]}`;
}

const sessionIn = (text: string): string | undefined =>
  /"(?:sessionId|session_id)":"([^"]+)"/.exec(text)?.[1] ?? /^\{"type":"session".*?"id":"([^"]+)"/.exec(text)?.[1];

const UUID = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/g;
const WORDS = /\b(?:(?:msg|req|toolu|call|chatcmpl|resp|ses|prt)_\w{16,}|\w+_\d{13}_\d+)\b/g;
const SHORT = /(?<="(?:id|parentId)":")[\da-f]{8}(?=")/g;
const COUNTED = /(?<=########)\d+/g;
const ISO = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const EPOCH = /\b1\d{12}\b/g;

/**
 * The text of a transcript for its nth repeat, with later times and new
 * ids. The session's id depends only on the file.
 */
function renewed(text: string, session: string, n: number): string {
  const hex = n.toString(16).padStart(4, "0");
  const word = (id: string) => (id.startsWith("ses_") ? `ses_${FILE}` : `${id}n${n}f${FILE}`);
  return text
    .replace(UUID, (id) => `${id.slice(0, 9)}${id === session ? "0000" : hex}${id.slice(13, 24)}${FILE}`)
    .replace(WORDS, word)
    .replace(SHORT, (id) => `${id.slice(0, 4)}${hex}`)
    .replace(COUNTED, String(n))
    .replace(ISO, (time) => new Date(Date.parse(time) + n * REPEAT_MS).toISOString())
    .replace(EPOCH, (time) => String(Number(time) + n * REPEAT_MS));
}
