import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LISTENING_LINE, type ServerProcess, spawnServer } from "../support/run/process.ts";
import { sendGraphQL } from "../support/server.ts";
import { type Model, serveModel, setTurn } from "./models/serve.ts";
import { hasOurs, isAsking, type Program } from "./programs.ts";

/** Server, scripted model, and a home folder with a connected agent. */
export interface Bench {
  url: string;
  apiKey: string;
  server: ServerProcess;
  model: Model;
  home: string;
  /** Environment of the agent. */
  env: Record<string, string>;
  /** Runs `trackway` in the home folder. */
  trackway(args: string[], input?: string): string;
  /** Starts `trackway` in the home folder. The process ends when the bench is closed. */
  watch(args: string[]): void;
  /** Runs a turn of the agent to the end. */
  turn(): Promise<Turn>;
  /** Restarts the server with the same URL and data. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** Measurements of a turn. */
export interface Turn {
  code: number | null;
  ms: number;
  stdout: string;
  stderr: string;
}

/** Time limit in ms, longer than any turn takes. An agent that hangs is then killed. */
const LIMIT_MS = 120_000;

/**
 * Creates a bench: first start of a server with additional variables, login, and the settings that the agent has
 * before `connect`.
 */
export async function setUp(program: Program, bin: string, more: Record<string, string> = {}): Promise<Bench> {
  const root = mkdtempSync(join(tmpdir(), "trackway-agents-"));
  const home = join(root, "home");
  mkdirSync(join(root, "project"));
  const asks = isAsking(program);
  setTurn({ callsOurs: hasOurs(program), asks, waits: asks && program.command === "codex" });
  const model = await serveModel(program.speak);
  const settings = { DATA_DIR: join(root, "data"), TRACKWAY_BOOTSTRAP: "on", ...more };
  const server = spawnServer(settings);
  const [, url = ""] = await server.printed(LISTENING_LINE);
  const [, email = "", password = ""] = await server.printed(/sign in at \S+ with (\S+) and the password (\S+)/);
  const [, apiKey = ""] = await server.printed(/"TRACKER_API_KEY": "(\w+)"/);
  mkdirSync(home, { recursive: true });
  const [, ingestKey = ""] = await server.printed(/(sk_[0-9a-f]{64})/);
  const byHand = program.byHand?.(url, ingestKey, model.url);
  for (const [path, text] of Object.entries({ ...program.files?.(model.url), ...byHand?.files }))
    write(join(home, path), text);
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: home, ...program.env(model.url), ...byHand?.env };
  const trackway = (args: string[], input = "") => runTrackway(args, { env, cwd: root, input });
  trackway(["login", url, "--email", email, "--password-stdin"], password);
  const turn = () => runTurn(program, { env, cwd: program.example ? bin : join(root, "project") });
  const watchers: ChildProcess[] = [];
  const watch = (args: string[]) => {
    watchers.push(spawn(resolve("trackway"), args, { env, cwd: root, stdio: ["ignore", "ignore", "inherit"] }));
  };
  const bench: Omit<Bench, "close"> = { url, apiKey, server, model, home, env, trackway, watch, turn, restart };
  async function restart(): Promise<void> {
    await bench.server.stop("SIGKILL");
    bench.server = spawnServer({ ...settings, PORT: new URL(url).port });
    await bench.server.printed(LISTENING_LINE);
  }
  const close = async () => {
    model.close();
    for (const watcher of watchers) watcher.kill("SIGINT");
    await bench.server.stop("SIGKILL");
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  };
  return Object.assign(bench, { close });
}

/** Sends a GraphQL request to the bench's server. Returns the data. @throws Error with the message of the refusal */
export async function ask(
  { url, apiKey }: Bench,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<any> {
  const send = () => sendGraphQL(url, apiKey, { query, variables });
  // The server may have closed a connection that was idle for minutes.
  const { data, errors } = await send().catch(send);
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Creates an issue in the first team. Returns the id. */
export async function makeIssue(bench: Bench, title: string): Promise<string> {
  const { teams } = await ask(bench, "{ teams { nodes { id } } }");
  const create = "mutation ($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id } } }";
  return (await ask(bench, create, { input: { teamId: teams.nodes[0].id, title } })).issueCreate.issue.id;
}

const SESSIONS = "{ recordedSessions(first: 50) { nodes { id externalId } } }";
const CLAIM = "mutation ($input: IssueClaimInput!) { issueClaim(input: $input) { issue { handover } } }";

/** Lists the stored sessions, newest first. */
export const sessionsOf = async (bench: Bench): Promise<{ id: string; externalId: string }[]> =>
  (await ask(bench, SESSIONS)).recordedSessions.nodes;

/** Claims an issue with additional arguments. Returns the handover of the previous claim. */
export const claim = async (bench: Bench, id: string, more: object = {}): Promise<string | null> =>
  (await ask(bench, CLAIM, { input: { id, ...more } })).issueClaim.issue.handover;

/**
 * Claims an issue for the next new session, as soon as the first report of the session arrives. Returns false if the
 * server was killed before the report, because some telemetry arrives only when the agent exits.
 */
export async function claimForNext(bench: Bench, id: string, known: number, more: object = {}): Promise<boolean> {
  for (;;) {
    const sessions = await sessionsOf(bench).catch(() => undefined);
    if (!sessions) return false;
    if (sessions.length > known)
      return claim(bench, id, { sessionId: sessions[0]?.id, ...more }).then(
        () => true,
        () => false,
      );
    await sleep(20);
  }
}

interface Place {
  env: Record<string, string>;
  cwd: string;
}

function runTrackway(args: string[], { env, cwd, input }: Place & { input: string }): string {
  const { status, stdout, stderr } = spawnSync(resolve("trackway"), args, { env, cwd, input, encoding: "utf8" });
  if (status !== 0) throw new Error(`trackway ${args.join(" ")} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}

async function runTurn(program: Program, { env, cwd }: Place): Promise<Turn> {
  const begun = performance.now();
  const { command, args, byHand } = program;
  const variables = byHand ? undefined : program.variables;
  // Uses the name under which the settings are written, as a user in a shell would.
  const started = variables
    ? ["sh", "-c", `. "$HOME/${variables}"; exec "$@"`, "sh", command, ...args]
    : [command, ...args];
  const [first = "", ...rest] = started;
  const child = spawn(first, rest, { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  const told = { stdout: "", stderr: "" };
  child.stdout.on("data", (piece) => (told.stdout += piece));
  child.stderr.on("data", (piece) => (told.stderr += piece));
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(timer);
  return { code, ms: Math.round(performance.now() - begun), ...told };
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
