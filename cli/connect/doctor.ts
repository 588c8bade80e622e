import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { whoIs } from "../api/graphql.ts";
import { ask } from "../api/request.ts";
import { accessOf } from "../credentials/access.ts";
import { Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import { readIfThere } from "../files/whole-file.ts";
import type { Agent, Connection } from "./agent.ts";
import { AGENTS } from "./agents.ts";
import { listHooks } from "./codex-trust.ts";
import { isHookCommand } from "./hook.ts";
import { checkIngestKey } from "./keys.ts";
import { isDone, planChanges } from "./plan.ts";
import { readRecord } from "./record.ts";
import { toolProgram } from "./tools.ts";

/** One thing that was looked at. */
export interface Finding {
  ok: boolean;
  text: string;
}

/** Looks at the server, the login, and every agent that is connected. */
export async function examine(places: Places): Promise<Finding[]> {
  const access = await accessOf(places);
  const findings = [await finding("server", () => checkServer(access.url))];
  findings.push(await finding("login", () => checkLogin(access)));
  const connected = await Promise.all(AGENTS.map((agent) => examineAgent(agent, places)));
  return [...findings, ...connected.flat()];
}

async function finding(subject: string, look: () => Promise<string>): Promise<Finding> {
  try {
    return { ok: true, text: `${subject}: ${await look()}` };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ok: false, text: `${subject}: ${error.message}${error.cure ? ` try: ${error.cure}` : ""}` };
  }
}

async function checkServer(url: string): Promise<string> {
  const health = await ask<{ status?: string; version?: string }>(url, "/api/health");
  if (health.status === "ok") return `Trackway ${health.version ?? ""} at ${url}`;
  throw new Failure(`${url} is not well.`, { cure: "look at the server's log" });
}

async function checkLogin({ url, apiKey }: { url: string; apiKey?: string }): Promise<string> {
  if (!apiKey) throw new Failure("nobody is logged in.", { cure: "trackway login" });
  const { viewer, organization } = await whoIs({ url, apiKey });
  return `${viewer.name} <${viewer.email}> in ${organization.name}`;
}

async function examineAgent(agent: Agent, places: Places): Promise<Finding[]> {
  const record = await readRecord(places, agent.name);
  if (!record) return [{ ok: true, text: `${agent.name}: not connected` }];
  const again = `trackway connect ${agent.name}`;
  const look = async (): Promise<string> => {
    const connection = await keptConnection(agent, places, record.url);
    checkMachine(agent, connection, again);
    await checkIngestKey(record.url, connection.ingestKey);
    const { own, files } = await planChanges(agent, connection);
    if (!isDone([...own, ...files])) throw new Failure("its configuration is not what was written.", { cure: again });
    if (agent.name === "codex") await checkTrust(places);
    return `connected to ${record.url}`;
  };
  return [await finding(agent.name, look)];
}

/** The connection as its files have it. */
async function keptConnection(agent: Agent, places: Places, url: string): Promise<Connection> {
  const empty = { places, url, ingestKey: "", apiKey: "" };
  const texts = await Promise.all(agent.own(empty).map(({ path }) => readIfThere(path)));
  const text = texts.join("\n");
  const [ingestKey = ""] = /sk_[0-9a-f]{64}/.exec(text) ?? [];
  const [apiKey = ""] = /trk_api_[0-9a-f]{40}/.exec(text) ?? [];
  return { ...empty, ingestKey, apiKey };
}

/** What has to be on this machine: its own files, nobody else's to read, curl for hooks, the tools' program. */
function checkMachine(agent: Agent, connection: Connection, again: string): void {
  for (const { path } of agent.own(connection)) {
    if (!existsSync(path)) throw new Failure(`${path} is gone.`, { cure: again });
    if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0)
      throw new Failure(`${path} holds a key and others can read it.`, { cure: `chmod 600 '${path}'` });
  }
  if (!existsSync(toolProgram())) throw new Failure(`${toolProgram()} is gone.`, { cure: again });
  if (agent.records === "hooks" && spawnSync("curl", ["--version"]).status !== 0)
    throw new Failure("its hooks need curl, which is not here.", { cure: "install curl" });
}

async function checkTrust(places: Places): Promise<void> {
  const hooks = (await listHooks(places)).filter(({ command }) => isHookCommand(places, "codex", command));
  if (hooks.some(({ trustStatus }) => trustStatus !== "trusted"))
    throw new Failure("Codex does not trust its hooks.", { cure: "trackway connect codex, or /hooks in codex" });
}
