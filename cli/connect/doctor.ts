import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { unrecognisedServices, whoIs } from "../api/graphql.ts";
import { ask } from "../api/request.ts";
import { accessOf } from "../credentials/access.ts";
import { Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import type { Agent, Connection } from "./agent.ts";
import { AGENTS } from "./agents/agents.ts";
import { isDone, planChanges, readRecord } from "./changes/plan.ts";
import { checkIngestKey, keptKeys } from "./keys.ts";
import { toolProgram } from "./parts/tools.ts";

/** One finding. */
export interface Finding {
  ok: boolean;
  text: string;
}

/** Checks the server, the login, and every agent that is connected. */
export async function examine(places: Places): Promise<Finding[]> {
  const access = await accessOf(places);
  const findings = [await finding("server", () => checkServer(access.url))];
  findings.push(await finding("login", () => checkLogin(access)));
  findings.push(...(await examineServices(access)));
  const connected = await Promise.all(AGENTS.map((agent) => examineAgent(agent, places)));
  return [...findings, ...connected.flat()];
}

async function finding(subject: string, check: () => Promise<string>): Promise<Finding> {
  try {
    return { ok: true, text: `${subject}: ${await check()}` };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ok: false, text: `${subject}: ${error.message}${error.cure ? ` try: ${error.cure}` : ""}` };
  }
}

async function checkServer(url: string): Promise<string> {
  const health = await ask<{ status?: string; version?: string }>(url, "/api/health");
  if (health.status === "ok") return `Trackway ${health.version ?? ""} at ${url}`;
  throw new Failure(`${url} is not well.`, { cure: "read the server's log" });
}

async function checkLogin({ url, apiKey }: { url: string; apiKey?: string }): Promise<string> {
  if (!apiKey) throw new Failure("nobody is logged in.", { cure: "trackway login" });
  const { viewer, organization } = await whoIs({ url, apiKey });
  return `${viewer.name} <${viewer.email}> in ${organization.name}`;
}

/** Names services whose spans no convention knows. A login that fails is another finding. */
async function examineServices({ url, apiKey }: { url: string; apiKey?: string }): Promise<Finding[]> {
  if (!apiKey) return [];
  const found = await unrecognisedServices({ url, apiKey }).catch(() => []);
  const cure = "try: the conventions that docs/opentelemetry.md lists";
  return found.map((text) => ({ ok: false, text: `telemetry: ${text}. ${cure}` }));
}

async function examineAgent(agent: Agent, places: Places): Promise<Finding[]> {
  const record = await readRecord(places, agent.name);
  if (!record) return [{ ok: true, text: `${agent.name}: not connected` }];
  const again = `trackway connect ${agent.name}`;
  const check = async (): Promise<string> => {
    const fuse = record.fuse === true;
    const connection = { places, url: record.url, ingestKey: "", apiKey: "", fuse, ...(await keptKeys(places, agent)) };
    checkMachine(agent, connection, again);
    await checkIngestKey(record.url, connection.ingestKey);
    const { own, files } = await planChanges(agent, connection);
    if (!isDone([...own, ...files])) throw new Failure("its configuration is not what was written.", { cure: again });
    await agent.check?.(places);
    return `connected to ${record.url}`;
  };
  return [await finding(agent.name, check)];
}

/** Checks this machine: its own files, nobody else's to read, curl for hooks, the tools' program. */
function checkMachine(agent: Agent, connection: Connection, again: string): void {
  for (const { path } of agent.own(connection)) {
    if (!existsSync(path)) throw new Failure(`${path} is missing.`, { cure: again });
    if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0)
      throw new Failure(`${path} holds a key and others can read it.`, { cure: `chmod 600 '${path}'` });
  }
  if (!existsSync(toolProgram())) throw new Failure(`${toolProgram()} is missing.`, { cure: again });
  if (agent.records === "hooks" && spawnSync("curl", ["--version"]).status !== 0)
    throw new Failure("its hooks need curl, which is not here.", { cure: "install curl" });
}
