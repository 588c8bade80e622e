import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { getOwnProperty } from "../../formats/own.ts";
import { deleteKey } from "../api/control.ts";
import { sendGraphqlRequest } from "../api/graphql.ts";
import { sendRequest } from "../api/request.ts";
import { obtainAccessToken, readLogin } from "../credentials/access.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import type { UserEnvironment } from "../files/places.ts";
import { checkWritable, readFileIfExists } from "../files/whole-file.ts";
import { printLines as say } from "../output/print.ts";
import { askConfirmation } from "../prompt.ts";
import { type Agent, type AgentConnection, getAgentFolder, getAgentPaths } from "./agent.ts";
import {
  type ConnectionRecord,
  hashText,
  isUpToDate,
  mapTextsWithoutTrackway,
  planChanges,
  readConnectionRecord,
  removeCreatedFolders,
  removeTrackwayFromFile,
  writeConnectionRecord,
  writePlannedFiles,
} from "./changes/plan.ts";
import { formatChange } from "./changes/show.ts";
import { findOrCreateConnectionKeys } from "./keys.ts";
import { buildHookCommand } from "./parts/hook.ts";

const PROMPT = "trackway connect: does this arrive?";
const DEADLINE_MS = 10_000;
const PAUSE_MS = 100;

/**
 * Sends a test session in the same way as the agent sends its sessions. For an agent with hooks, runs the installed
 * hook command. Waits until the server shows the session, then returns the session's URL.
 */
async function probe(agent: Agent, connection: AgentConnection): Promise<string> {
  const sessionId = randomUUID();
  const turn = randomUUID();
  // Agents use different field names for the id of the session and the id of the turn, so the test events contain all
  // of these names.
  const session = { session_id: sessionId, conversation_id: sessionId, cwd: process.cwd() };
  const fields = { ...session, prompt_id: turn, turn_id: turn, generation_id: turn };
  if (agent.records === "hooks") {
    const [begin, end] = agent.turn ?? ["UserPromptSubmit", "Stop"];
    await runHook(agent, connection, { ...fields, hook_event_name: begin, prompt: PROMPT });
    await runHook(agent, connection, { ...fields, hook_event_name: end, ...REPLY });
  } else await sendEvent(agent, connection, sessionId);
  await untilShown(connection, sessionId);
  return `${connection.url}/sessions/${sessionId}`;
}

const REPLY = { last_assistant_message: "It does.", prompt: PROMPT, prompt_response: "It does." };

function runHook(agent: Agent, { places }: AgentConnection, payload: object): Promise<void> {
  const child = spawn("sh", ["-c", buildHookCommand(places, agent.name)], { stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(payload));
  return new Promise((resolve, reject) => {
    child.once("error", () =>
      reject(new CommandFailure("The hook needs sh, which is not installed.", { cure: "install a shell" })),
    );
    child.once("exit", () => resolve());
  });
}

async function sendEvent({ name }: Agent, { url, ingestKey }: AgentConnection, sessionId: string): Promise<void> {
  const event = {
    event_id: randomUUID(),
    session_id: sessionId,
    primitive_name: name,
    args: PROMPT,
    result: "It does.",
    success: true,
  };
  const headers = { "x-api-key": ingestKey };
  await sendRequest(url, "/api/v1/capture-events", {
    method: "POST",
    body: { events: [event] },
    headers,
    shape: { accepted: "number" },
  });
}

async function untilShown({ url, apiKey }: AgentConnection, id: string): Promise<void> {
  const query = "query($id: ID!) { recordedSessions(filter: { id: { eq: $id } }, first: 1) { nodes { id } } }";
  for (const deadline = performance.now() + DEADLINE_MS; performance.now() < deadline; ) {
    const { recordedSessions } = await sendGraphqlRequest<{ recordedSessions: { nodes: unknown[] } }>(
      { url, apiKey },
      query,
      {
        id,
      },
    );
    if (recordedSessions.nodes.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new CommandFailure("The configuration was written, but the server did not receive the test session.", {
    cure: "trackway doctor",
  });
}

interface ConnectOptions {
  dryRun?: boolean;
  yes?: boolean;
  probe?: boolean;
  /** True to install the hook that stops the agent when its claim reaches a limit. */
  fuse?: boolean;
}

/** Connects an agent: shows the changes, writes them, sends a test event and prints the URL of the first session. */
export async function connectAgent(agent: Agent, places: UserEnvironment, options: ConnectOptions): Promise<void> {
  if (options.fuse && !agent.stops)
    throw new CommandFailure(`${agent.title} has no hook that can stop the agent.`, {
      exit: EXIT_CODES.usage,
      cure: `trackway connect ${agent.name}`,
    });
  // Plans the changes once before anything else. If a file is unreadable, the command ends here, before the server
  // creates keys.
  await planChanges(agent, { places, url: "http://127.0.0.1", ingestKey: "", apiKey: "" });
  const { connection } = await findOrCreateConnectionKeys(agent, places, { ...options, dryRun: true });
  const draft = await planChanges(agent, connection);
  const changes = [...draft.own, ...draft.files];
  if (isUpToDate(changes)) say(`${agent.title} is already connected to ${connection.url}.`);
  else say(changes.map((change) => formatChange(change, options.dryRun === true)).join(""));
  for (const note of agent.notes?.(connection, mapTextsWithoutTrackway(draft.files)) ?? []) say(note);
  if (options.dryRun) return say("No changes were written (--dry-run).");
  if (!isUpToDate(changes)) await agreed(options);
  // If a file cannot be written, the command ends before the server creates keys.
  const paths = changes.filter(({ before, after }) => before !== after).map(({ path }) => path);
  for (const path of [...paths, getAgentPaths(places, agent.name).record]) await checkWritable(path);
  const known = await readConnectionRecord(places, agent.name);
  const made = await findOrCreateConnectionKeys(agent, places, { ...options, dryRun: false });
  await writeConnection(agent, made.connection, made.record).catch(async (error) => {
    const { url, ingestKeyId, apiKeyId } = made.record;
    await deleteKeys(places, {
      ...{ url, files: {} },
      ...(ingestKeyId && ingestKeyId !== known?.ingestKeyId && { ingestKeyId }),
      ...(apiKeyId && apiKeyId !== known?.apiKeyId && { apiKeyId }),
    });
    throw error;
  });
  await tell(agent, made.connection, options);
}

async function agreed({ yes }: ConnectOptions): Promise<void> {
  if (yes || (await askConfirmation("Write these changes?", "run the command again with --yes"))) return;
  throw new CommandFailure("No changes were written.");
}

/**
 * Writes the planned files, then stores a record of the changes. If the record is missing later, `trackway connect
 * --remove` recognizes Trackway's settings by their form.
 */
export async function writeConnection(
  agent: Agent,
  connection: AgentConnection,
  made: ConnectionRecord,
): Promise<void> {
  const { places } = connection;
  const planned = await planChanges(agent, connection);
  const record = { ...made, files: await writePlannedFiles(planned) };
  await writeConnectionRecord(places, agent.name, record);
  const untouched: (typeof record.files)[string][] = [];
  for (const [path, file] of Object.entries(record.files))
    if (hashText((await readFileIfExists(path)) ?? "") === file.written) untouched.push(file);
  const notes = (await agent.settle?.(connection)) ?? [];
  for (const [path, file] of Object.entries(record.files)) {
    const text = await readFileIfExists(path);
    // `settle` may change a file, and such a change counts as Trackway's own, so the digest of the file is updated. A
    // file that another program changed before keeps its digest, so that `--remove` does not undo that change.
    if (text !== undefined && untouched.includes(file)) file.written = hashText(text);
  }
  await writeConnectionRecord(places, agent.name, record);
  for (const note of notes) say(note);
}

async function tell(agent: Agent, connection: AgentConnection, options: ConnectOptions): Promise<void> {
  if (options.probe === false) return say(`${agent.title} is connected to ${connection.url}.`);
  const address = await probe(agent, connection);
  say(`${agent.title} is connected. See the test session at ${address}`);
}

/**
 * Disconnects an agent: removes Trackway's settings from the agent's files, and deletes the keys on this machine and on
 * the server.
 */
export async function disconnectAgent(agent: Agent, places: UserEnvironment): Promise<void> {
  const record = await readConnectionRecord(places, agent.name);
  const files = agent.files({ places, url: record?.url ?? "", ingestKey: "", apiKey: "" });
  let found = record !== undefined;
  for (const file of files) {
    if (!(await removeTrackwayFromFile(file, getOwnProperty(record?.files, file.path)))) continue;
    found = true;
    say(`- ${file.path}`);
  }
  await removeCreatedFolders(record?.files ?? {});
  await rm(getAgentFolder(places, agent.name), { recursive: true, force: true });
  if (!found) return say(`${agent.title} was not connected.`);
  const left = record ? await deleteKeys(places, record) : undefined;
  say(`${agent.title} is no longer connected.`);
  if (left) say(left);
}

/** Deletes the keys of the connection on the server. Returns a message if the user must delete the keys by hand. */
async function deleteKeys(
  places: UserEnvironment,
  { url, ingestKeyId, apiKeyId }: ConnectionRecord,
): Promise<string | undefined> {
  if (!ingestKeyId && !apiKeyId) return undefined;
  const login = await readLogin(places).catch(() => undefined);
  const byHand = `The keys of the connection are still valid. Delete the keys at ${url}/settings.`;
  if (login?.url !== url) return byHand;
  try {
    const token = String(await obtainAccessToken(places, login));
    if (apiKeyId) await deleteKey(url, token, "api-keys", apiKeyId);
    if (ingestKeyId) await deleteKey(url, token, "ingest-keys", ingestKeyId);
    return undefined;
  } catch {
    return byHand;
  }
}
