import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

/**
 * One thing that a scripted model says: words, a command of the shell (outside of the sandbox), a call of one of Trackway's tools, an errand for a
 * subagent, or to wait for it.
 */
export type Move =
  | { say: string }
  | { shell: string; isEscalated?: true }
  | { tool: string; input: object }
  | { ask: string }
  | { await: true };

/** The prompt of the subagent. */
export const ERRAND = "Run an errand: echo inner.";
const ERRAND_TURN: Move[][] = [[{ shell: "echo inner" }], [{ say: "The errand is done." }]];

const ours: Move[] = [{ tool: "list_teams", input: {} }];
const errand: Move[] = [{ ask: ERRAND }];
const waiting: Move[] = [{ await: true }];

let turn: Move[][] = [];

/**
 * Says what the turn holds beside two commands, of which one fails, and the reply: a call of ours, which a program that is
 * connected by hand has not, and an errand for a subagent, for which Codex waits by a call of its own.
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

/** Gives the model another turn to take. */
export function say(moves: Move[][]): void {
  turn = moves;
}

/** The moves at a step of the conversation that a prompt begins; a step too many only ends it. */
export const movesAt = (step: number, prompt: unknown): Move[] =>
  (JSON.stringify(prompt ?? "").includes(ERRAND) ? ERRAND_TURN : turn)[step] ?? [{ say: "Done: that is all." }];

/** The input of a tool, of which only what its schema names is sent. */
export const inputFor = (schema: { properties?: object } | undefined, input: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(schema?.properties ?? {}, name)));

/** The members under which programs take an errand for a subagent. */
export const errandFor = (prompt: string, type: string): Record<string, unknown> => ({
  ...{ description: "Do it", prompt, message: prompt, name: "errand", mode: "sync", run_in_background: false },
  ...{ subagent_type: type, agent_type: type, agent_name: type },
});

/** Answers a request of a model API. True for one that carries a turn on; one that it does not know is not answered. */
export type Speak = (path: string, body: any, response: ServerResponse) => boolean;

/** A model on loopback. */
export interface Model {
  url: string;
  /** Called at each request that carries a turn on. */
  onStep: () => void;
  close(): void;
}

/** Serves one, on a free port. */
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

/** Answers as server-sent events. */
export function stream(response: ServerResponse, events: { type?: string; data: object }[]): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (const { type, data } of events)
    response.write(`${type ? `event: ${type}\n` : ""}data: ${JSON.stringify(data)}\r\n\r\n`);
  response.end();
}

let last = 0;
/** An id that looks like the API's own. */
export const freshId = (prefix: string): string => `${prefix}_${String(++last).padStart(24, "0")}`;
