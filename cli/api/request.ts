import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { readOwn } from "../../formats/own.ts";
import { retryAfterSeconds } from "../../formats/time.ts";
import { EXIT, type ExitCode, Failure } from "../failure.ts";
import { VERSION } from "../version.ts";

/** Names of the API, and those of the command line for the same. */
const CALLED: Readonly<Record<string, string>> = {
  body: "the comment",
  comment: "the message",
  dueDate: "--due",
  parentId: "--parent",
  term: "the words",
  after: "--after",
  first: "--limit",
  ttlSeconds: "--ttl",
  sessionId: "--session",
  url: "the address",
  email: "--email",
};

/** A refusal of the API as a sentence in the command line's own words: `input.body: must not be empty`. */
export const inWords = (message: string): string =>
  message
    .split(/; (?=[A-Za-z]\w*(?:\.\w+)*: )/)
    .map(oneInWords)
    .join(" ");

function oneInWords(message: string): string {
  const [, path = "", rest = message] = /^([A-Za-z]\w*(?:\.\w+)*): ([^\n]+)$/.exec(message) ?? [];
  const field = path.split(".").at(-1) ?? "";
  if (/\bendCursor\b/.test(rest)) return "--after must be a cursor, with which a page before ended.";
  const subject = readOwn(CALLED, field) ?? (/^[a-z]+$/.test(field) ? `the ${field}` : "");
  return sentence(/^(must|is|has|cannot)\b/.test(rest) ? `${subject || "a value"} ${rest}` : rest);
}

/** A text with a capital letter at its beginning, unless it begins with an option, and a full stop at its end. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?)…]$/.test(begun) ? begun : `${begun}.`;
}

/** An answer of a server, read whole. */
interface Answer {
  status: number;
  /** A header of it, if it has that one. */
  header(name: string): string | undefined;
  body: string;
}

/** A request as it goes over the wire. */
interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** The answer began and did not end: the request may have been done. */
class BrokenOff extends Error {}

/** Sends a request and reads its answer whole within a deadline. Each scheme's module is loaded where it is used. */
async function send(address: string, { method, headers, body }: Sent, deadlineMs: number): Promise<Answer> {
  const url = new URL(address);
  const { request } = await (url.protocol === "https:" ? import("node:https") : import("node:http"));
  const signal = AbortSignal.timeout(deadlineMs);
  const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  const response = await opened(request, url, { method, headers: { ...headers, ...length }, signal }, body);
  return {
    status: response.statusCode ?? 0,
    header: (name) => readOwn(response.headersDistinct, name.toLowerCase())?.[0],
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

/** A request to the server. */
interface Ask {
  method?: "GET" | "POST" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent again after temporary trouble: it reads, or carries an Idempotency-Key. */
  repeatable?: boolean;
  /** The body is sent compressed. */
  gzip?: boolean;
}

/** Longer than the server's own deadlines, so that its answer comes first. */
const DEADLINE_MS = 20_000;
const TRIES = 4;
/** The longest a server may ask to wait and be waited for. */
const PATIENCE_S = 5;

/**
 * Asks the server and answers the JSON it sent.
 * @throws Failure with the server's own sentence, and the exit code that goes with the status.
 */
export async function ask<T>(url: string, path: string, options: Ask = {}): Promise<T> {
  const { status, header, body } = await patiently(url, path, options);
  const answer = asJson(body);
  const isOk = status >= 200 && status < 300;
  if (isOk && answer !== undefined) return answer as T;
  if (isOk && body === "") return {} as T;
  throw refused(url, path, { status, header }, (answer ?? {}) as Refusal);
}

/** Sends a request, and again when the server says soon or its connection broke, as while it restarts. */
async function patiently(url: string, path: string, options: Ask): Promise<Answer> {
  const sent = await requestOf(options);
  for (let tries = 1; ; tries += 1) {
    const again = options.repeatable && tries < TRIES;
    const answer = await reach(url, path, sent).catch((error) => {
      if (again && /ECONNRESET|EPIPE/.test(error.message)) return undefined;
      throw error;
    });
    const wait = answer ? waitOf(answer) : 1;
    if (answer && (!again || wait === undefined)) return answer;
    await sleep((wait ?? 1) * 1_000);
  }
}

async function requestOf({ method = "GET", body, headers, gzip }: Ask): Promise<Sent> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return {
    method,
    headers: {
      "User-Agent": `trackway/${VERSION}`,
      ...(text !== undefined && { "Content-Type": "application/json" }),
      ...(gzip && { "Content-Encoding": "gzip" }),
      ...headers,
    },
    ...(text !== undefined && { body: gzip ? (await import("node:zlib")).gzipSync(text, { level: 1 }) : text }),
  };
}

/** A proxy answers these while the server behind it restarts. */
const UNREACHED = [502, 504];

/** Seconds after which a server that is busy or restarting would have the request again, if that is soon. */
function waitOf({ status, header }: Answer): number | undefined {
  if (UNREACHED.includes(status)) return 1;
  const seconds = status === 503 ? retryAfterSeconds(header("Retry-After")) : undefined;
  return seconds !== undefined && seconds <= PATIENCE_S ? seconds : undefined;
}

async function reach(url: string, path: string, sent: Sent): Promise<Answer> {
  try {
    return await send(url + path, sent, DEADLINE_MS);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof BrokenOff)
      throw new Failure(`The answer of ${url} broke off (${message}).`, { cure: "again" });
    const reason = code === "ABORT_ERR" ? "no answer in time" : (code ?? message);
    throw new Failure(`Nothing answers at ${url} (${reason}).`, {
      retryAfter: 1,
      cure: "start the server with npm start, or name another one: TRACKWAY_URL=https://... (beside TRACKWAY_API_KEY a login's server does not count)",
    });
  }
}

interface Refusal {
  error?: string;
  errors?: { message: string; extensions?: { code?: string } }[];
  issues?: { path: string; message: string }[];
}

const EXITS: Record<number, ExitCode> = {
  400: EXIT.usage,
  401: EXIT.noAccess,
  403: EXIT.noAccess,
  404: EXIT.notFound,
  409: EXIT.conflict,
  413: EXIT.usage,
};

function refused(url: string, path: string, { status, header }: Omit<Answer, "body">, refusal: Refusal): Failure {
  const [first] = refusal.errors ?? [];
  // A budget that is used up is answered 400 over GraphQL, and the command line is right all the same.
  const exit = first?.extensions?.code === "RATELIMITED" ? EXIT.failed : (EXITS[status] ?? EXIT.failed);
  if (UNREACHED.includes(status))
    return new Failure(`${url} answered ${status}: a proxy is there, and no server behind it.`, {
      retryAfter: 1,
      cure: "again when the server is up",
    });
  const error = refusal.error ?? first?.message;
  if (!error)
    return new Failure(`${url}${path} answered ${status}, not as Trackway does.`, { exit, cure: "check the address" });
  const fields = refusal.issues?.map(({ path, message }) => `${path} ${message}`).join(", ");
  const later = retryAfterSeconds(header("Retry-After"));
  const cure = later !== undefined ? `again in ${later} s` : status === 401 ? "trackway login" : undefined;
  const more = { exit, ...(cure && { cure }), ...(later !== undefined && { retryAfter: later }) };
  return new Failure(inWords(fields ? `${error} (${fields})` : error), more);
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An address as it is kept: an http(s) origin, with a path where Trackway stands under one. */
export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.search || url.hash)
    throw new Failure(`"${text}" is no address of a server.`, {
      exit: EXIT.usage,
      cure: "https://trackway.example.com",
    });
  return url.href.replace(/\/+$/, "");
}
