import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { fetchInto, SDK_CACHE } from "../agents/install.ts";
import { LISTENING_LINE, spawnServer } from "../support/run/process.ts";
import { sendGraphQL } from "../support/server.ts";
import { serveScript } from "./model.ts";
import { SDKS, type Sdk } from "./sdks.ts";

const PROGRAMS = resolve("test/sdks/programs");
const LIMIT_MS = 120_000;
const GRPC_PORT = "4317";

/** Runs the program of an SDK, prints the stored events, and returns the missing parts. */
export async function record(name: string): Promise<string[]> {
  const sdk = SDKS[name] as Sdk;
  const folder = join(SDK_CACHE, `${name}-${sdk.packages[0]?.split("@").at(-1)}`);
  const failed = existsSync(join(folder, "node_modules")) ? undefined : fetchInto(folder, sdk.packages.join(" "));
  if (failed) return [`${name}: ${failed}`];
  cpSync(PROGRAMS, folder, { recursive: true });
  const root = mkdtempSync(join(tmpdir(), "trackway-sdks-"));
  const model = await serveScript();
  const server = spawnServer({ DATA_DIR: root, TRACKWAY_BOOTSTRAP: "on", OTLP_GRPC_PORT: GRPC_PORT });
  try {
    const [, url = ""] = await server.printed(LISTENING_LINE);
    const [, apiKey = ""] = await server.printed(/"TRACKER_API_KEY": "(\w+)"/);
    const [, key = ""] = await server.printed(/(sk_[0-9a-f]{64})/);
    const { code, output } = await run(name, sdk, folder, { url, key, model: model.url });
    const events = await eventsOf(url, apiKey);
    print(events);
    return [...missing(events, sdk), ...(code === 0 ? [] : [`${name} ended with ${code}: ${output}`])];
  } finally {
    model.close();
    await server.stop("SIGKILL");
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Runs the program in a shell with the variables that `trackway connect env` prints for the SDK. */
async function run(name: string, sdk: Sdk, cwd: string, at: { url: string; key: string; model: string }) {
  const connect = `${resolve("trackway")} connect env --sdk ${name} --dry-run`;
  const lines = sdk.byCode ? "" : `eval "$(${connect})" && `;
  const env = {
    PATH: process.env["PATH"],
    HOME: cwd,
    MODEL_URL: at.model,
    TRACKWAY_URL: at.url,
    TRACKER_INGEST_KEY: at.key,
    KEY: at.key,
    TRACES_URL: at.url + (name === "openai-agents" ? "/sdk/openai-agents/v1/traces/ingest" : ""),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${GRPC_PORT}`,
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${at.key}`,
  };
  const child = spawn("sh", ["-c", `${lines}exec node ${name}.mjs`], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const written = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(timer);
  return { code, output: (await written).join("").trim() };
}

interface Event {
  id: string;
  parentId: string | null;
  kind: string;
  primitiveName: string;
  args: string;
  result: string;
  success: boolean;
  open: boolean;
  model: string | null;
  inputTokens: number | null;
  outputTokens: number | null;
}

const QUERY = `{ recordedSessions(first: 10) { nodes { externalId events(first: 100) { nodes {
  id parentId kind primitiveName args result success open model inputTokens outputTokens } } } } }`;

/** Returns the events of the program's sessions, without the example from the first start. */
async function eventsOf(url: string, apiKey: string): Promise<Event[]> {
  const { data, errors } = await sendGraphQL(url, apiKey, { query: QUERY });
  if (errors) throw new Error(JSON.stringify(errors));
  const sessions: { externalId: string; events: { nodes: Event[] } }[] = data.recordedSessions.nodes;
  return sessions.filter(({ externalId }) => externalId === "sdk-run-1").flatMap(({ events }) => events.nodes);
}

function print(events: readonly Event[], parent: string | null = null, indent = "  "): void {
  for (const { id, parentId, kind, primitiveName, success, args, result } of events) {
    if (parentId !== parent) continue;
    const words = [args, result].map((each) => JSON.stringify(each.slice(0, 50))).join(" → ");
    console.log(`${indent}${kind} ${primitiveName}${success ? "" : " FAILED"} ${words}`);
    print(events, id, `${indent}  `);
  }
}

function missing(events: readonly Event[], { nested, tokens, error }: Sdk): string[] {
  const turns = events.filter(({ kind }) => kind === "turn");
  const [turn] = turns;
  const models = events.filter(({ kind }) => kind === "llm");
  const failed = events.filter(({ success }) => !success);
  const inner = models.find(({ result, args }) => /Paris has sun/.test(result) || /How long/.test(args));
  const around = ancestors(events, inner?.parentId);
  const sum = (of: "inputTokens" | "outputTokens") => models.reduce((total, event) => total + (event[of] ?? 0), 0);
  const wanted: [boolean, string][] = [
    [turns.length === 1, `one turn, not ${turns.length}`],
    [turn?.primitiveName === "assistant", "the turn's agent"],
    [turn?.args === "What is the weather in Paris?", "the prompt"],
    [turn?.result === "Sunny in Paris, all week.", "the reply"],
    [events.every(({ open }) => !open), "the end of each event"],
    [models.length === 4, `four model calls, not ${models.length}`],
    [models.every(({ model }) => model === "scripted-1"), "the model"],
    [events.some((event) => event.kind === "tool" && event.result === "Sunny in Paris"), "the call that succeeded"],
    [failed.length === 1 && error.test(failed[0]?.result ?? ""), "exactly one failed call, with its error"],
    [around.some(({ kind, id }) => kind === nested && id !== turn?.id), `the nested agent, as ${nested}`],
    [around.at(-1)?.id === turn?.id, "the nested agent in the turn"],
    [!tokens || (sum("inputTokens") === 480 && sum("outputTokens") === 80), `the tokens, not ${sum("inputTokens")}`],
  ];
  return wanted.filter(([there]) => !there).map(([, what]) => `missing: ${what}`);
}

function ancestors(events: readonly Event[], from: string | null | undefined): Event[] {
  const event = events.find(({ id }) => id === from);
  return event ? [event, ...ancestors(events, event.parentId)] : [];
}
