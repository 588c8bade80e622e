import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A delivery as it arrived. */
export interface Received {
  headers: Record<string, string>;
  /** The raw body, and what it says. */
  raw: string;
  body: any;
  at: number;
}

/** A receiver's answer: a status, or a function of the response. */
export type Answer = number | ((response: ServerResponse, request: IncomingMessage) => void);

/** A webhook receiver on loopback, and what it received. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Answers of the next deliveries; afterwards 200. */
  answers: Answer[];
  until(done: (received: Received[]) => boolean): Promise<Received[]>;
}

const open: { close(): void }[] = [];

/** Ends every receiver; an `after` hook of each file that uses them. */
export function closeReceivers(): void {
  for (const one of open.splice(0)) one.close();
}

/** Starts a receiver. */
export async function startReceiver(answers: Answer[] = []): Promise<Receiver> {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString();
    received.push({ headers: request.headers as Record<string, string>, raw, body: JSON.parse(raw), at: Date.now() });
    const answer = answers.shift() ?? 200;
    if (typeof answer === "number") response.writeHead(answer).end("ok");
    else answer(response, request);
    for (const look of waiting) look();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  const until: Receiver["until"] = (done) =>
    new Promise((resolve) => {
      const look = () => {
        if (!done(received)) return;
        waiting.delete(look);
        resolve(received);
      };
      waiting.add(look);
      look();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received, answers, until };
}
