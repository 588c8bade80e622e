import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { readOwn } from "../../formats/own.ts";
import { deleteKey } from "../api/control.ts";
import { graphql } from "../api/graphql.ts";
import { ask } from "../api/request.ts";
import { controlToken, readLogin } from "../credentials/access.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Places } from "../files/places.ts";
import { readIfThere } from "../files/whole-file.ts";
import { print as say } from "../output/print.ts";
import { askYes } from "../prompt.ts";
import { type Agent, type Connection, folderOf } from "./agent.ts";
import {
  applyChanges,
  type ConnectionRecord,
  digest,
  isDone,
  planChanges,
  readRecord,
  removeFolders,
  restoreFile,
  textsOf,
  writeRecord,
} from "./changes/plan.ts";
import { show } from "./changes/show.ts";
import { keysFor } from "./keys.ts";
import { hookCommand } from "./parts/hook.ts";

const PROMPT = "trackway connect: does this arrive?";
const DEADLINE_MS = 10_000;
const PAUSE_MS = 100;

/**
 * Sends what the agent will send, by the way that it will take: an agent with hooks runs the very command that was written.
 * Answers the address of the session once the server shows it.
 */
async function probe(agent: Agent, connection: Connection): Promise<string> {
  const sessionId = randomUUID();
  const turn = randomUUID();
  // Each agent's hooks have names of their own for the session and the turn.
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

function runHook(agent: Agent, { places }: Connection, payload: object): Promise<void> {
  const child = spawn("sh", ["-c", hookCommand(places, agent.name)], { stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(payload));
  return new Promise((resolve, reject) => {
    child.once("error", () =>
      reject(new Failure("The hook needs sh, which is not here.", { cure: "install a shell" })),
    );
    child.once("exit", () => resolve());
  });
}

async function sendEvent({ name }: Agent, { url, ingestKey }: Connection, sessionId: string): Promise<void> {
  const event = {
    event_id: randomUUID(),
    session_id: sessionId,
    primitive_name: name,
    args: PROMPT,
    result: "It does.",
    success: true,
  };
  const headers = { "x-api-key": ingestKey };
  await ask(url, "/api/v1/capture-events", { method: "POST", body: { events: [event] }, headers });
}

async function untilShown({ url, apiKey }: Connection, id: string): Promise<void> {
  const query = "query($id: ID!) { recordedSessions(filter: { id: { eq: $id } }, first: 1) { nodes { id } } }";
  for (const deadline = Date.now() + DEADLINE_MS; Date.now() < deadline; ) {
    const { recordedSessions } = await graphql<{ recordedSessions: { nodes: unknown[] } }>({ url, apiKey }, query, {
      id,
    });
    if (recordedSessions.nodes.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Failure("It is written, but what was sent to try it did not arrive.", { cure: "trackway doctor" });
}

/** Options of connecting. */
interface ConnectOptions {
  dryRun?: boolean;
  yes?: boolean;
  probe?: boolean;
  /** True to have a limit of a claim stop the agent. */
  fuse?: boolean;
}

/** Connects an agent: shows what it will write, writes it, tries it, and says where the first session is. */
export async function connect(agent: Agent, places: Places, options: ConnectOptions): Promise<void> {
  if (options.fuse && !agent.stops)
    throw new Failure(`${agent.title} has no hook that can stop it.`, {
      exit: EXIT.usage,
      cure: `trackway connect ${agent.name}`,
    });
  // An unreadable file is refused before any key is made.
  await planChanges(agent, { places, url: "http://127.0.0.1", ingestKey: "", apiKey: "" });
  const { connection } = await keysFor(agent, places, { ...options, dryRun: true });
  const draft = await planChanges(agent, connection);
  const changes = [...draft.own, ...draft.files];
  if (isDone(changes)) say(`${agent.title} is connected to ${connection.url} already.`);
  else say(changes.map((change) => show(change, options.dryRun === true)).join(""));
  for (const note of agent.notes?.(connection, textsOf(draft.files)) ?? []) say(note);
  if (options.dryRun) return say("Nothing was written (--dry-run).");
  if (!isDone(changes)) await agreed(options);
  const made = await keysFor(agent, places, { ...options, dryRun: false });
  await write(agent, made.connection, made.record);
  await tell(agent, made.connection, options);
}

async function agreed({ yes }: ConnectOptions): Promise<void> {
  if (yes || (await askYes("Write this?", "the same command with --yes"))) return;
  throw new Failure("Nothing was written.");
}

/** Files first, then the record of what was written: without one, what is ours is found by how it looks. */
export async function write(agent: Agent, connection: Connection, made: ConnectionRecord): Promise<void> {
  const { places } = connection;
  const planned = await planChanges(agent, connection);
  const record = { ...made, files: await applyChanges(planned) };
  await writeRecord(places, agent.name, record);
  const notes = (await agent.settle?.(connection)) ?? [];
  for (const [path, file] of Object.entries(record.files)) {
    const before = planned.files.find((change) => change.path === path)?.after;
    const text = await readIfThere(path);
    // The text that settling adds is ours too; a file that somebody else changed meanwhile is not as we left it.
    if (text !== undefined && before !== undefined && digest(before) === file.written) file.written = digest(text);
  }
  await writeRecord(places, agent.name, record);
  for (const note of notes) say(note);
}

async function tell(agent: Agent, connection: Connection, options: ConnectOptions): Promise<void> {
  if (options.probe === false) return say(`${agent.title} is connected to ${connection.url}.`);
  const address = await probe(agent, connection);
  say(`${agent.title} is connected. A first session is there: ${address}`);
}

/** Takes an agent's connection back: its files as they were besides, its keys deleted here and on the server. */
export async function disconnect(agent: Agent, places: Places): Promise<void> {
  const record = await readRecord(places, agent.name);
  const files = agent.files({ places, url: record?.url ?? "", ingestKey: "", apiKey: "" });
  let found = record !== undefined;
  for (const file of files) {
    if (!(await restoreFile(file, readOwn(record?.files, file.path)))) continue;
    found = true;
    say(`- ${file.path}`);
  }
  await removeFolders(record?.files ?? {});
  await rm(folderOf(places, agent.name), { recursive: true, force: true });
  if (!found) return say(`${agent.title} was not connected.`);
  const left = record ? await deleteKeys(places, record) : undefined;
  say(`${agent.title} is no longer connected.`);
  if (left) say(left);
}

/** Deletes the keys that were made for it; answers what to say where that is for somebody else to do. */
async function deleteKeys(
  places: Places,
  { url, ingestKeyId, apiKeyId }: ConnectionRecord,
): Promise<string | undefined> {
  if (!ingestKeyId && !apiKeyId) return undefined;
  const login = await readLogin(places).catch(() => undefined);
  const byHand = `Its keys count on; delete them at ${url}/settings.`;
  if (login?.url !== url) return byHand;
  try {
    const token = String(await controlToken(places, login));
    if (apiKeyId) await deleteKey(url, token, "api-keys", apiKeyId);
    if (ingestKeyId) await deleteKey(url, token, "ingest-keys", ingestKeyId);
    return undefined;
  } catch {
    return byHand;
  }
}
