import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { graphql } from "../api/graphql.ts";
import { ask } from "../api/request.ts";
import { Failure } from "../failure.ts";
import type { Agent, Connection } from "./agent.ts";
import { hookCommand } from "./parts/hook.ts";

const PROMPT = "trackway connect: does this arrive?";
const DEADLINE_MS = 10_000;
const PAUSE_MS = 100;

/**
 * Sends what the agent will send, by the way that it will take: an agent with hooks runs the very command that was written.
 * Answers the address of the session once the server shows it.
 */
export async function probe(agent: Agent, connection: Connection): Promise<string> {
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
