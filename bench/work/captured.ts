import { readFileSync } from "node:fs";

/** The runs of real programs, one of each form of transcript, and the file in a home folder that each keeps a session in. */
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

/** The text of a failed call, which stands in every run; longer results stand behind it. */
const ERROR = "No such file or directory";
const FILE = "@FILE@";
const REPEAT_MS = 600_000;

/** A session's file, for any number of sessions that differ by their ids alone. */
export interface Captured {
  path(n: number): string;
  text(n: number): string;
}

/** Makes of each run a session of about so many bytes, of which each turn has a result of `result` characters more. */
export function capturedSessions(bytes: number, result: number): Captured[] {
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

/** The lines of a run, so many times; its first line, which begins the session, once. */
function linesOf(run: string, times: number): string {
  const [first = "", ...others] = run.trim().split("\n");
  const session = sessionIn(first) ?? sessionIn(run) ?? "";
  const repeats = Array.from({ length: times }, (_, n) => renewed(others.join("\n"), session, n));
  return `${[renewed(first, session, 0), ...repeats].join("\n")}\n`;
}

/** The same of a session that is one JSON object. */
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

/** The text of a run for its nth repeat: later, and under ids of its own. The session's id is that of the file alone. */
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
