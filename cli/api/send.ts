import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { text } from "node:stream/consumers";

/** An answer of a server, read whole. */
export interface Answer {
  status: number;
  /** A header of it, if it has that one. */
  header(name: string): string | undefined;
  body: string;
}

/** A request as it goes over the wire. */
export interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** The answer began and did not end: the request may have been done. */
export class BrokenOff extends Error {}

/** Sends a request and reads its answer whole within a deadline. Each scheme's module is loaded where it is used. */
export async function send(address: string, { method, headers, body }: Sent, deadlineMs: number): Promise<Answer> {
  const url = new URL(address);
  const { request } = await (url.protocol === "https:" ? import("node:https") : import("node:http"));
  const signal = AbortSignal.timeout(deadlineMs);
  const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  const response = await opened(request, url, { method, headers: { ...headers, ...length }, signal }, body);
  return {
    status: response.statusCode ?? 0,
    header: (name) => response.headersDistinct[name.toLowerCase()]?.[0],
    body: await text(response).catch((error: Error) => {
      throw new BrokenOff(error.message);
    }),
  };
}

type Request = (url: URL, options: RequestOptions, listener: (response: IncomingMessage) => void) => ClientRequest;

const opened = (
  request: Request,
  url: URL,
  options: RequestOptions,
  body: string | Buffer | undefined,
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request(url, options, resolve).once("error", reject).end(body);
  });
