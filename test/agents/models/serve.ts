import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";

/** One thing that a scripted model says: words, a command of the shell, or a call of one of Trackway's tools. */
export type Move = { say: string } | { shell: string } | { tool: string; input: object };

/** The turn: two commands of which one fails, a call of ours, and the reply. */
export const TURN: Move[][] = [
  [{ say: "I will run two commands." }, { shell: "echo hello" }, { shell: "cat /nonexistent" }],
  [{ tool: "list_teams", input: {} }],
  [{ say: "Done: one command printed hello, the other failed." }],
];

let turn = TURN;

/** Says that the turn has the call of ours: a program that is connected by hand has no such tool. */
export function callOurs(isOurs: boolean): void {
  turn = isOurs ? TURN : TURN.filter((moves) => !moves.some((move) => "tool" in move));
}

/** The turn's moves at a step; a step too many only ends it. */
export const movesAt = (step: number): Move[] => turn[step] ?? [{ say: "Done: that is all." }];

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
