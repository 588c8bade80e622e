import { existsSync, readFileSync } from "node:fs";
import type { Tenant } from "../server.ts";
import { postHook } from "./observed-sessions.ts";
import { postOtlp } from "./otlp.ts";

/** Reads a file of a run of a real program. */
const textOf = (run: string, file: string): string =>
  readFileSync(new URL(`../../fixtures/transcripts/${run}/${file}`, import.meta.url), "utf8");

/** Returns the lines of a file without empty lines. */
export const readLines = (run: string, file: string): string[] => textOf(run, file).split("\n").filter(Boolean);

const hasFile = (run: string, file: string): boolean =>
  existsSync(new URL(`../../fixtures/transcripts/${run}/${file}`, import.meta.url));

/** Change of a file's text before the file is sent. */
type Edit = (text: string) => string;

const TELEMETRY = { "logs.json": "/v1/logs", "spans.json": "/v1/traces" };

/** Records what a run sent live: hooks, of which some may be missing, and telemetry. */
export async function recordLive(
  { url, ingestKey }: Tenant,
  agent: string,
  run: string,
  {
    hooks = () => true,
    telemetry = true,
    edit = String,
  }: { hooks?: (payload: any) => boolean; telemetry?: boolean; edit?: Edit } = {},
): Promise<void> {
  for (const line of hasFile(run, "hooks.jsonl") ? readLines(run, "hooks.jsonl") : []) {
    if (!hooks(JSON.parse(line))) continue;
    const { status, text } = await postHook({ url, ingestKey }, agent, line);
    if (status !== 204) throw new Error(`${status} ${text}`);
  }
  for (const [file, path] of Object.entries(TELEMETRY)) {
    if (!telemetry || !hasFile(run, file)) continue;
    const { status } = await postOtlp({ url, key: ingestKey }, path, Buffer.from(edit(textOf(run, file))));
    if (status !== 200) throw new Error(`${file}: ${status}`);
  }
}

/** Posts lines of a file, `atOnce` lines per request. Each request contains the state from the previous response. */
export async function postLines(
  { url, ingestKey }: Pick<Tenant, "url" | "ingestKey">,
  agent: string,
  lines: readonly string[],
  { end = true, atOnce = 100, ...more }: { end?: boolean; atOnce?: number; cwd?: string; session?: string } = {},
): Promise<{ accepted: number; rejected: { line: number; reason: string }[] }> {
  let state: unknown;
  const sum = { accepted: 0, rejected: [] as { line: number; reason: string }[] };
  for (let from = 0; from < lines.length; from += atOnce) {
    const body = { lines: lines.slice(from, from + atOnce), state, end: end && from + atOnce >= lines.length, ...more };
    const response = await fetch(`${url}/api/v1/transcripts/${agent}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "x-api-key": ingestKey },
      body: JSON.stringify(body),
    });
    const answer: any = await response.json();
    if (response.status !== 200) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
    state = answer.state;
    sum.accepted += answer.accepted;
    sum.rejected.push(...[...answer.bad, ...answer.rejected].map((each: any) => ({ ...each, line: from + each.line })));
  }
  return sum;
}

export async function importRunFiles(
  tenant: Tenant,
  agent: string,
  run: string,
  { edit = String, ...options }: Parameters<typeof postLines>[3] & { edit?: Edit } = {},
): Promise<void> {
  for (const file of ["session.jsonl", "subagent.jsonl"]) {
    if (!hasFile(run, file)) continue;
    const { sessionId: session } = JSON.parse(readLines(run, "session.jsonl")[0] ?? "{}");
    const { rejected } = await postLines(tenant, agent, readLines(run, file).map(edit), { session, ...options });
    if (rejected.length > 0) throw new Error(JSON.stringify(rejected));
  }
}
