import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { describeUnrecognizedServices, readViewer } from "../api/graphql.ts";
import { sendRequest } from "../api/request.ts";
import { resolveLoginCredentials } from "../credentials/access.ts";
import { CommandFailure } from "../failure.ts";
import type { UserEnvironment } from "../files/places.ts";
import type { Agent, AgentConnection } from "./agent.ts";
import { AGENTS } from "./agents/agents.ts";
import { isUpToDate, planChanges, readConnectionRecord } from "./changes/plan.ts";
import { checkIngestKey, readStoredKeys } from "./keys.ts";
import { getMcpProgramPath } from "./parts/tools.ts";

export interface DoctorFinding {
  ok: boolean;
  text: string;
}

/** Checks the server, the login and every connected agent. */
export async function checkInstallation(places: UserEnvironment): Promise<DoctorFinding[]> {
  const access = await resolveLoginCredentials(places);
  const findings = [await finding("server", () => checkServer(access.url))];
  findings.push(await finding("login", () => checkLogin(access)));
  findings.push(...(await examineServices(access)));
  const connected = await Promise.all(AGENTS.map((agent) => examineAgent(agent, places)));
  return [...findings, ...connected.flat()];
}

async function finding(subject: string, check: () => Promise<string>): Promise<DoctorFinding> {
  try {
    return { ok: true, text: `${subject}: ${await check()}` };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { ok: false, text: `${subject}: ${error.message}${error.cure ? ` try: ${error.cure}` : ""}` };
  }
}

async function checkServer(url: string): Promise<string> {
  const health = await sendRequest<{ status: string; version: string }>(url, "/api/health", {
    shape: { status: "string", version: "string" },
  });
  if (health.status === "ok") return `Trackway ${health.version} at ${url}`;
  throw new CommandFailure(`${url} reports a problem.`, { cure: "read the server's log" });
}

async function checkLogin({ url, apiKey }: { url: string; apiKey?: string }): Promise<string> {
  if (!apiKey) throw new CommandFailure("you are not logged in.", { cure: "trackway login" });
  const { viewer, organization } = await readViewer({ url, apiKey });
  return `${viewer.name} <${viewer.email}> in ${organization.name}`;
}

/**
 * Returns a finding for each service whose spans match none of the known conventions. Returns no findings if the login
 * is invalid, because the finding about the login reports that problem.
 */
async function examineServices({ url, apiKey }: { url: string; apiKey?: string }): Promise<DoctorFinding[]> {
  if (!apiKey) return [];
  const found = await describeUnrecognizedServices({ url, apiKey }).catch(() => []);
  const cure = "try: use a convention that docs/opentelemetry.md lists";
  return found.map((text) => ({ ok: false, text: `telemetry: ${text}. ${cure}` }));
}

async function examineAgent(agent: Agent, places: UserEnvironment): Promise<DoctorFinding[]> {
  const record = await readConnectionRecord(places, agent.name);
  if (!record) return [{ ok: true, text: `${agent.name}: not connected` }];
  const again = `trackway connect ${agent.name}`;
  const check = async (): Promise<string> => {
    const fuse = record.fuse === true;
    const connection = {
      places,
      url: record.url,
      ingestKey: "",
      apiKey: "",
      fuse,
      ...(await readStoredKeys(places, agent)),
    };
    checkMachine(agent, connection, again);
    await checkIngestKey(record.url, connection.ingestKey);
    const { own, files } = await planChanges(agent, connection);
    if (!isUpToDate([...own, ...files]))
      throw new CommandFailure("the configuration has changed since the connection.", { cure: again });
    await agent.check?.(places);
    return `connected to ${record.url}`;
  };
  return [await finding(agent.name, check)];
}

/**
 * Checks the files and programs on this machine: Trackway's files exist and only their owner can read them, curl is
 * installed for the hooks, and the program of the MCP server exists.
 */
function checkMachine(agent: Agent, connection: AgentConnection, again: string): void {
  for (const { path } of agent.own(connection)) {
    if (!existsSync(path)) throw new CommandFailure(`${path} is missing.`, { cure: again });
    if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0)
      throw new CommandFailure(`${path} contains a key, and other users of this machine can read the file.`, {
        cure: `chmod 600 '${path}'`,
      });
  }
  if (!existsSync(getMcpProgramPath())) throw new CommandFailure(`${getMcpProgramPath()} is missing.`, { cure: again });
  if (agent.records === "hooks" && spawnSync("curl", ["--version"]).status !== 0)
    throw new CommandFailure("the hooks need curl, which is not installed.", { cure: "install curl" });
}
