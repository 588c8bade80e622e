import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedDelivery {
  headers: Record<string, string>;
  /** Raw body; `payload` is the parsed body. */
  raw: string;
  body: any;
  at: number;
}

/** Response of a receiver: a status, or a function that writes the response. */
export type ReceiverResponse = number | ((response: ServerResponse, request: IncomingMessage) => void);

/** Webhook receiver on loopback with the received deliveries. */
export interface WebhookReceiver {
  url: string;
  received: ReceivedDelivery[];
  /** Responses to the next deliveries; later deliveries get 200. */
  answers: ReceiverResponse[];
  until(done: (received: ReceivedDelivery[]) => boolean): Promise<ReceivedDelivery[]>;
}

const open: { close(): void }[] = [];

/** Closes every receiver. Each file that starts a receiver calls the function in an `after` hook. */
export function closeReceivers(): void {
  for (const one of open.splice(0)) one.close();
}

export async function startReceiver(answers: ReceiverResponse[] = []): Promise<WebhookReceiver> {
  const received: ReceivedDelivery[] = [];
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
  const until: WebhookReceiver["until"] = (done) =>
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
