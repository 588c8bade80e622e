import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { explainConnectionError } from "../../formats/causes.ts";
import { readOwn } from "../../formats/own.ts";
import { parseServerUrl, showUrl, UrlFault } from "../../formats/secret-url.ts";
import { retryAfterSeconds } from "../../formats/time.ts";
import { EXIT, type ExitCode, Failure } from "../failure.ts";
import { VERSION } from "../version.ts";
import {
  ADDRESS_HINT,
  createForeignResponseFailure,
  type ErrorResponse,
  findMistypedMember,
  type MemberTypes,
  readErrorResponse,
} from "./answer.ts";

/** Names of fields in the API, with the corresponding names on the command line. */
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

/** Translates an error message of the API (`input.body: must not be empty`) to the terms of the command line. */
export const toCommandLineTerms = (message: string): string =>
  message
    .split(/; (?=[A-Za-z]\w*(?:\.\w+)*: )/)
    .map(oneInWords)
    .join(" ");

function oneInWords(message: string): string {
  const [, path = "", rest = message] = /^([A-Za-z]\w*(?:\.\w+)*): ([^\n]+)$/.exec(message) ?? [];
  const field = path.split(".").at(-1) ?? "";
  if (/\bendCursor\b/.test(rest)) return "--after must be a cursor, with which a page before ended.";
  const subject = readOwn(CALLED, field) ?? (/^[a-z]+$/.test(field) ? `the ${field}` : "");
  return toSentence(/^(must|is|has|cannot)\b/.test(rest) ? `${subject || "a value"} ${rest}` : rest);
}

/** Makes a sentence of a text: a capital letter at the beginning (not for an option) and a full stop at the end. */
export function toSentence(text: string): string {
  const trimmed = text.trim();
  const begun = trimmed.charAt(0).toUpperCase() + trimmed.slice(1);
  return /[.!?)…]$/.test(begun) ? begun : `${begun}.`;
}

/** A complete response of a server. */
interface Answer {
  status: number;
  /** Returns a header, or undefined if the response does not have the header. */
  header(name: string): string | undefined;
  body: string;
}

/** A request in the form that is sent to the server. */
interface Sent {
  method: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** Thrown when a response began but did not end. The server may have processed the request. */
class BrokenOff extends Error {}

/** Sends a request and reads the complete response within a deadline. Imports node:http or node:https when needed. */
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

interface Ask {
  method?: "GET" | "POST" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  /** Repeats the request after temporary failures. The request must only read, or have an Idempotency-Key. */
  repeatable?: boolean;
  /** Compresses the body of the request. */
  gzip?: boolean;
  /** Required types of the response's members. */
  shape?: MemberTypes;
}

/** Longer than the server's own deadlines, so that the server's response arrives first. */
const DEADLINE_MS = 20_000;
const TRIES = 4;
/** Longest Retry-After in seconds for which the command waits. After a longer time, the command fails at once. */
const PATIENCE_S = 5;

/**
 * Sends a request and returns the JSON of the response.
 * @throws Failure with the server's error message, and the exit code for the status
 */
export async function sendRequest<T>(url: string, path: string, options: Ask = {}): Promise<T> {
  const { status, header, body } = await patiently(url, path, options);
  const answer = body === "" ? {} : asJson(body);
  if (status < 200 || status >= 300) throw refused(url, path, { status, header }, readErrorResponse(answer));
  const misfit = findMistypedMember(answer, options.shape ?? {});
  if (misfit !== undefined) throw createForeignResponseFailure(url + path, status, misfit);
  return answer as T;
}

/** Sends a request. Repeats a repeatable request after a broken connection or a short Retry-After. */
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

/** Statuses with which a proxy responds while the server behind the proxy restarts. */
const UNREACHED = [502, 504];

/** Returns the seconds to wait before the next attempt, and undefined if there should be no attempt soon. */
function waitOf({ status, header }: Answer): number | undefined {
  if (UNREACHED.includes(status)) return 1;
  const seconds = status === 503 ? retryAfterSeconds(header("Retry-After")) : undefined;
  return seconds !== undefined && seconds <= PATIENCE_S ? seconds : undefined;
}

const START =
  "start the server with npm start, or set TRACKWAY_URL=https://... (with TRACKWAY_API_KEY, the server of a login is ignored)";

async function reach(url: string, path: string, sent: Sent): Promise<Answer> {
  try {
    return await send(url + path, sent, DEADLINE_MS);
  } catch (error) {
    if (error instanceof BrokenOff)
      throw new Failure(`The response of ${url} was cut off (${error.message}).`, { cure: "run the command again" });
    const { what, cure, code } = explainConnectionError(error, { variable: "TRACKWAY_URL", start: START });
    const message =
      code === "ECONNREFUSED" ? `No server responds at ${url} (${code}).` : `Cannot reach ${url}: ${what} (${code}).`;
    throw new Failure(message, { retryAfter: 1, ...(cure && { cure }) });
  }
}

const EXITS: Record<number, ExitCode> = {
  400: EXIT.usage,
  401: EXIT.noAccess,
  403: EXIT.noAccess,
  404: EXIT.notFound,
  409: EXIT.conflict,
  413: EXIT.usage,
};

function refused(url: string, path: string, { status, header }: Omit<Answer, "body">, refusal: ErrorResponse): Failure {
  const [first] = refusal.errors;
  // Over GraphQL, the server responds to an exhausted budget with 400, although the command line is correct.
  const exit = first?.extensions.code === "RATELIMITED" ? EXIT.failed : (EXITS[status] ?? EXIT.failed);
  if (UNREACHED.includes(status))
    return new Failure(`${url} responded with ${status}: the proxy cannot reach the server.`, {
      retryAfter: 1,
      cure: "run the command again when the server is up",
    });
  const location = header("Location");
  if (status >= 300 && status < 400 && location !== undefined) {
    const target = redirectTarget(location, url + path);
    return new Failure(`${url}${path} responded with ${status} and redirects to ${target}.`, {
      cure: "if you trust that server, set TRACKWAY_URL to its address",
    });
  }
  const error = refusal.error ?? first?.message;
  if (!error)
    return new Failure(`${url}${path} responded with ${status}, and the response is not from Trackway.`, {
      exit,
      cure: ADDRESS_HINT,
    });
  const fields = refusal.issues.map(({ path, message }) => `${path} ${message}`).join(", ");
  const later = retryAfterSeconds(header("Retry-After"));
  const cure =
    later !== undefined ? `run the command again in ${later} s` : status === 401 ? "trackway login" : undefined;
  const more = { exit, ...(cure && { cure }), ...(later !== undefined && { retryAfter: later }) };
  return new Failure(toCommandLineTerms(fields ? `${error} (${fields})` : error), more);
}

/** Returns the target of a redirect without the query, because the query may contain a token. */
const redirectTarget = (to: string, from: string): string =>
  (URL.canParse(to, from) && showUrl(new URL(to, from).href)) || "an unreadable address";

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses the URL of a server for storage. */
export function normalizeServerUrl(text: string): string {
  try {
    return parseServerUrl(text).href.replace(/\/+$/, "");
  } catch (error) {
    if (!(error instanceof UrlFault)) throw error;
    // The message shows only host, port and path. Other text may be a password.
    const shown = /^(?:https?:\/\/)?[A-Za-z0-9.-]+(?::\d{1,5})?\/?$/.test(text) ? `"${text}"` : "This";
    const message = `${shown} is not an address of a server: ${error.message}.`;
    throw new Failure(message, { exit: EXIT.usage, cure: "https://trackway.example.com" });
  }
}
