import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

/**
 * Output of a scripted model: text, a shell command (outside the sandbox), a call of one of Trackway's tools, an
 * errand for a subagent, or a wait for the subagent.
 */
export type Move =
  | { say: string }
  | { shell: string; isEscalated?: true }
  | { tool: string; input: object }
  | { ask: string }
  | { await: true };

/** Prompt of the subagent. */
export const ERRAND = "Run an errand: echo inner.";
const ERRAND_TURN: Move[][] = [[{ shell: "echo inner" }], [{ say: "The errand is done." }]];

const ours: Move[] = [{ tool: "list_teams", input: {} }];
const errand: Move[] = [{ ask: ERRAND }];
const waiting: Move[] = [{ await: true }];

let turn: Move[][] = [];

/**
 * Sets the optional parts of the turn, which always has two commands (one fails) and a reply. One part is a call of
 * Trackway's tool, which an agent connected by hand does not have. Another is an errand for a subagent, for which
 * Codex waits with a separate call.
 */
export function setTurn({ callsOurs, asks, waits }: { callsOurs: boolean; asks: boolean; waits: boolean }): void {
  turn = [
    [{ say: "I will run two commands." }, { shell: "echo hello" }, { shell: "cat /nonexistent" }],
    ...(callsOurs ? [ours] : []),
    ...(asks ? [errand] : []),
    ...(waits ? [waiting] : []),
    [{ say: "Done: one command printed hello, the other failed." }],
  ];
}

/** Sets another turn of the model. */
export function say(moves: Move[][]): void {
  turn = moves;
}

/** Returns the moves at a step after a prompt. An additional step only ends the conversation. */
export const movesAt = (step: number, prompt: unknown): Move[] =>
  (JSON.stringify(prompt ?? "").includes(ERRAND) ? ERRAND_TURN : turn)[step] ?? [{ say: "Done: that is all." }];

/** Restricts the input of a tool to the members in the tool's schema. */
export const inputFor = (schema: { properties?: object } | undefined, input: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(schema?.properties ?? {}, name)));

/** Builds the input for a subagent's errand, with the names that different agents use. */
export const errandFor = (prompt: string, type: string): Record<string, unknown> => ({
  ...{ description: "Do it", prompt, message: prompt, name: "errand", mode: "sync", run_in_background: false },
  ...{ subagent_type: type, agent_type: type, agent_name: type },
});

/**
 * Responds to a request of a model API. Returns true for a request that continues a turn. Unknown requests get no
 * response.
 */
export type Speak = (path: string, body: any, response: ServerResponse) => boolean;

/** Model server on loopback. */
export interface Model {
  url: string;
  /** Called at each request that continues a turn. */
  onStep: () => void;
  close(): void;
}

/** Starts a model server on a free port. */
export async function serveModel(speak: Speak): Promise<Model> {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (request.method === "POST" && body && speak(String(request.url), body, response)) model.onStep();
    else if (!response.headersSent)
      response.writeHead(404, { "Content-Type": "application/json" }).end('{"error":{"message":"not here"}}');
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const model: Model = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    onStep: () => {},
    close: () => server.closeAllConnections(),
  };
  const { close } = model;
  model.close = () => {
    server.close();
    close();
  };
  return model;
}

async function bodyOf(request: IncomingMessage): Promise<any> {
  const raw = await buffer(request);
  try {
    return JSON.parse((request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw).toString());
  } catch {
    return undefined;
  }
}

/** Sends a response as server-sent events. */
export function stream(response: ServerResponse, events: { type?: string; data: object }[]): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (const { type, data } of events)
    response.write(`${type ? `event: ${type}\n` : ""}data: ${JSON.stringify(data)}\r\n\r\n`);
  response.end();
}

let last = 0;
/** Creates an id in the format of the API. */
export const freshId = (prefix: string): string => `${prefix}_${String(++last).padStart(24, "0")}`;
