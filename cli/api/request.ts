import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { explainConnectionError } from "../../formats/causes.ts";
import { getOwnProperty } from "../../formats/own.ts";
import { InvalidUrlError, parseServerUrl, toDisplayUrl } from "../../formats/secret-url.ts";
import { parseRetryAfterSeconds } from "../../formats/time.ts";
import { CommandFailure, EXIT_CODES, type ExitCode } from "../failure.ts";
import { VERSION } from "../version.ts";
import {
  ADDRESS_HINT,
  createNonTrackwayResponseFailure,
  type ErrorResponse,
  findMistypedMember,
  type MemberTypes,
  readErrorResponse,
} from "./answer.ts";

/** Maps the name of an API field to the words that the command line uses for the field. */
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
export const toCommandLineErrorMessage = (message: string): string =>
  message
    .split(/; (?=[A-Za-z]\w*(?:\.\w+)*: )/)
    .map(oneInWords)
    .join(" ");

function oneInWords(message: string): string {
  const [, path = "", rest = message] = /^([A-Za-z]\w*(?:\.\w+)*): ([^\n]+)$/.exec(message) ?? [];
  const field = path.split(".").at(-1) ?? "";
  if (/\bendCursor\b/.test(rest)) return "--after must be a cursor, with which a page before ended.";
  const subject = getOwnProperty(CALLED, field) ?? (/^[a-z]+$/.test(field) ? `the ${field}` : "");
  return toSentence(/^(must|is|has|cannot)\b/.test(rest) ? `${subject || "a value"} ${rest}` : rest);
}

/**
 * Converts a text to a sentence: capitalizes the first letter and adds a full stop at the end. A text that begins with
 * an option such as `--due` is not capitalized.
 */
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

/** Thrown when only the beginning of a response arrived. The server may already have processed the request. */
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
    header: (name) => getOwnProperty(response.headersDistinct, name.toLowerCase())?.[0],
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
  /**
   * If true, the request is sent again after a temporary failure. Set this option only for a request that changes
   * nothing or has an Idempotency-Key.
   */
  repeatable?: boolean;
  /** Compresses the body of the request. */
  gzip?: boolean;
  /** Required types of the response's members. */
  shape?: MemberTypes;
}

/**
 * Maximum time in milliseconds to wait for a response. The limit is longer than the server's own time limits, so that
 * the server's error response arrives before the command gives up.
 */
const DEADLINE_MS = 20_000;
const TRIES = 4;
/**
 * Maximum Retry-After, in seconds, for which the command waits and tries again. If the server asks for a longer wait,
 * the command fails immediately.
 */
const PATIENCE_S = 5;

/**
 * Sends a request and returns the JSON of the response.
 * @throws CommandFailure with the server's error message, and the exit code for the status
 */
export async function sendRequest<T>(url: string, path: string, options: Ask = {}): Promise<T> {
  const { status, header, body } = await patiently(url, path, options);
  const answer = body === "" ? {} : asJson(body);
  if (status < 200 || status >= 300) throw refused(url, path, { status, header }, readErrorResponse(answer));
  const misfit = findMistypedMember(answer, options.shape ?? {});
  if (misfit !== undefined) throw createNonTrackwayResponseFailure(url + path, status, misfit);
  return answer as T;
}

/**
 * Sends a request. If the request is marked as repeatable, sends the request again after a broken connection, after a
 * proxy error, or when the server asks for a short wait (Retry-After).
 */
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

/**
 * Returns how many seconds to wait before the next attempt. Returns undefined if the response is final or asks for a
 * wait that is too long.
 */
function waitOf({ status, header }: Answer): number | undefined {
  if (UNREACHED.includes(status)) return 1;
  const seconds = status === 503 ? parseRetryAfterSeconds(header("Retry-After")) : undefined;
  return seconds !== undefined && seconds <= PATIENCE_S ? seconds : undefined;
}

const START =
  "start the server with npm start, or set TRACKWAY_URL=https://... (with TRACKWAY_API_KEY, the server of a login is ignored)";

async function reach(url: string, path: string, sent: Sent): Promise<Answer> {
  try {
    return await send(url + path, sent, DEADLINE_MS);
  } catch (error) {
    if (error instanceof BrokenOff)
      throw new CommandFailure(`The response of ${url} was cut off (${error.message}).`, {
        cure: "run the command again",
      });
    const { what, cure, code } = explainConnectionError(error, { variable: "TRACKWAY_URL", start: START });
    const message =
      code === "ECONNREFUSED" ? `No server responds at ${url} (${code}).` : `Cannot reach ${url}: ${what} (${code}).`;
    throw new CommandFailure(message, { retryAfter: 1, ...(cure && { cure }) });
  }
}

const EXITS: Record<number, ExitCode> = {
  400: EXIT_CODES.usage,
  401: EXIT_CODES.noAccess,
  403: EXIT_CODES.noAccess,
  404: EXIT_CODES.notFound,
  409: EXIT_CODES.conflict,
  413: EXIT_CODES.usage,
};

function refused(
  url: string,
  path: string,
  { status, header }: Omit<Answer, "body">,
  refusal: ErrorResponse,
): CommandFailure {
  const [first] = refusal.errors;
  // For GraphQL requests, the server reports an exhausted budget with status 400. The command line is correct in this
  // case, so the exit code must not be "wrong usage".
  const exit = first?.extensions.code === "RATELIMITED" ? EXIT_CODES.failed : (EXITS[status] ?? EXIT_CODES.failed);
  if (UNREACHED.includes(status))
    return new CommandFailure(`${url} responded with ${status}: the proxy cannot reach the server.`, {
      retryAfter: 1,
      cure: "run the command again when the server is up",
    });
  const location = header("Location");
  if (status >= 300 && status < 400 && location !== undefined) {
    const target = redirectTarget(location, url + path);
    return new CommandFailure(`${url}${path} responded with ${status} and redirects to ${target}.`, {
      cure: "if you trust that server, set TRACKWAY_URL to its address",
    });
  }
  const error = refusal.error ?? first?.message;
  if (!error)
    return new CommandFailure(`${url}${path} responded with ${status}, and the response is not from Trackway.`, {
      exit,
      cure: ADDRESS_HINT,
    });
  const fields = refusal.issues.map(({ path, message }) => `${path} ${message}`).join(", ");
  const later = parseRetryAfterSeconds(header("Retry-After"));
  const cure =
    later !== undefined ? `run the command again in ${later} s` : status === 401 ? "trackway login" : undefined;
  const more = { exit, ...(cure && { cure }), ...(later !== undefined && { retryAfter: later }) };
  return new CommandFailure(toCommandLineErrorMessage(fields ? `${error} (${fields})` : error), more);
}

/** Returns the target of a redirect without the query, because the query may contain a token. */
const redirectTarget = (to: string, from: string): string =>
  (URL.canParse(to, from) && toDisplayUrl(new URL(to, from).href)) || "an unreadable address";

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
    if (!(error instanceof InvalidUrlError)) throw error;
    // The error message repeats the given text only if the text consists of a host with an optional http:// or https://
    // prefix, port and final slash. Any other text may contain a password.
    const shown = /^(?:https?:\/\/)?[A-Za-z0-9.-]+(?::\d{1,5})?\/?$/.test(text) ? `"${text}"` : "This";
    const message = `${shown} is not an address of a server: ${error.message}.`;
    throw new CommandFailure(message, { exit: EXIT_CODES.usage, cure: "https://trackway.example.com" });
  }
}
