import * as http from "node:http";
import * as https from "node:https";
import { getOwnProperty } from "../../formats/own.ts";

/** The server did not respond before the deadline. */
export class DeadlineError extends Error {}

/** The response is longer than `MAX_CHARACTERS`; the caller can request fewer rows. */
export class ResponseTooLarge extends Error {}

/** The part of a fetch Response that graphql-request reads. */
export type FetchResponse = Pick<Response, "ok" | "status" | "text"> & {
  headers: { get(name: string): string | null };
};

interface RequestOptions {
  method?: "GET" | "POST";
  headers?: Headers;
  body?: string;
  signal?: AbortSignal | null;
}

/**
 * Time limit of a request in ms. The limit is longer than the server's own limit of 15 s, so that the server's error
 * arrives first.
 */
const DEADLINE_MS = 20_000;
/** Maximum number of connections. Further requests wait for a free connection until their deadline. */
const MAX_SOCKETS = 256;
const MAX_CHARACTERS = 32 * 1024 * 1024;

const agents = {
  "http:": { request: http.request, agent: new http.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }) },
  "https:": { request: https.request, agent: new https.Agent({ keepAlive: true, maxSockets: MAX_SOCKETS }) },
};

/**
 * Replaces `fetch` and keeps connections open. The default method is POST. A call takes half the CPU time of `fetch`,
 * because the function creates no web streams. The function does not follow redirects, because a redirect would send
 * the key to another server. If the server closes the connection at once, the promise rejects; the promise of `fetch`
 * in Node.js 20 never settles.
 */
export function fetchKeepAlive(
  input: string | URL,
  { method = "POST", headers = new Headers(), body, signal }: RequestOptions,
): Promise<FetchResponse> {
  const url = new URL(input);
  const { request, agent } = agents[url.protocol === "https:" ? "https:" : "http:"];
  const options = { method, agent, headers: Object.fromEntries(headers), ...(signal && { signal }) };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, options, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > MAX_CHARACTERS) outgoing.destroy(new ResponseTooLarge("the answer is too long"));
      });
      incoming.once("error", reject);
      incoming.once("end", () => resolve(toResponse(incoming, text)));
    });
    const timer = setTimeout(() => outgoing.destroy(new DeadlineError("no answer in time")), DEADLINE_MS);
    outgoing.once("error", reject);
    outgoing.once("close", () => clearTimeout(timer));
    outgoing.end(body);
  });
}

function toResponse({ statusCode: status = 0, headers }: http.IncomingMessage, text: string): FetchResponse {
  const get = (name: string) => getOwnProperty(headers, name.toLowerCase())?.toString() ?? null;
  return { ok: status >= 200 && status < 300, status, headers: { get }, text: async () => text };
}
