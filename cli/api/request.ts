import { setTimeout as sleep } from "node:timers/promises";
import { EXIT, type ExitCode, Failure } from "../failure.ts";
import { VERSION } from "../version.ts";
import { inWords } from "./words.ts";

/** A request to the server. */
export interface Ask {
  method?: "GET" | "POST" | "DELETE";
  body?: unknown;
  headers?: Record<string, string>;
  /** Sent again after temporary trouble: it reads, or carries an Idempotency-Key. */
  repeatable?: boolean;
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
  const response = await send(url, path, options);
  const text = await response.text().catch((error: Error) => {
    throw new Failure(`The answer of ${url} broke off (${error.message}).`, { cure: "again" });
  });
  const answer = asJson(text);
  if (response.ok && answer !== undefined) return answer as T;
  if (response.ok && text === "") return {} as T;
  throw refused(url, path, response, (answer ?? {}) as Refusal);
}

/** Sends a request, and again when the server says soon or its connection broke, as while it restarts. */
async function send(url: string, path: string, { method = "GET", body, headers, repeatable }: Ask): Promise<Response> {
  const init = {
    method,
    headers: {
      "User-Agent": `trackway/${VERSION}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  for (let tries = 1; ; tries += 1) {
    const again = repeatable && tries < TRIES;
    const response = await reach(url, path, init).catch((error) => {
      if (again && /ECONNRESET|EPIPE|UND_ERR_SOCKET/.test(error.message)) return undefined;
      throw error;
    });
    const wait = response ? waitOf(response) : 1;
    if (response && (!again || wait === undefined)) return response;
    await sleep((wait ?? 1) * 1_000);
  }
}

/** A proxy answers these while the server behind it restarts. */
const UNREACHED = [502, 504];

/** Seconds after which a server that is busy or restarting would have the request again, if that is soon. */
function waitOf({ status, headers }: Response): number | undefined {
  if (UNREACHED.includes(status)) return 1;
  const seconds = Number(headers.get("Retry-After") ?? Number.NaN);
  return status === 503 && seconds <= PATIENCE_S ? seconds : undefined;
}

async function reach(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url + path, { ...init, redirect: "manual", signal: AbortSignal.timeout(DEADLINE_MS) });
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    throw new Failure(`Nothing answers at ${url} (${cause?.code ?? message}).`, {
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

function refused(url: string, path: string, { status, headers }: Response, refusal: Refusal): Failure {
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
  const later = headers.get("Retry-After");
  const cure = later ? `again in ${later} s` : status === 401 ? "trackway login" : undefined;
  const more = { exit, ...(cure && { cure }), ...(later && { retryAfter: Number(later) }) };
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
