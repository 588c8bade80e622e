import { readOwn } from "../../formats/own.ts";
import { retryAfterMs } from "../../formats/time.ts";
import type { Endpoints } from "./endpoints.ts";

/** An endpoint under /api, such as `GET /api/members`. */
export type Endpoint = keyof Endpoints;
/** The parts of its path, the query and the body that it takes. */
export type Input<E extends Endpoint> = Omit<Endpoints[E], "reply">;
/** Its answer. */
export type Reply<E extends Endpoint> = Endpoints[E]["reply"];

/** The parts of a refusal beside its text. */
interface Refusal {
  status?: number;
  code?: string;
  field?: string;
  /** The answer that it came in. */
  response?: Response;
}

/** The refusal of the server, in its own text. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The member of the input that the refusal is about; empty where it names none. */
  readonly field: string;
  /** True if trying again may help. */
  readonly passing: boolean;
  /** Milliseconds in which the server asks not to be asked again; 0 where it says nothing. */
  readonly retryAfterMs: number;

  constructor(message: string, { status = 0, code = "network", field = "", response }: Refusal = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.retryAfterMs = retryAfterMs(response?.headers.get("Retry-After"), Date.now()) ?? 0;
    this.passing = status === 0 || status === 429 || status >= 500;
  }
}

interface Sent {
  path?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
}

/** The address of an endpoint. Empty members of the query are left out. */
export function addressOf<E extends Endpoint>(endpoint: E, input: Input<E>): string {
  const { path = {}, query = {} } = input as Sent;
  const [, template = ""] = endpoint.split(" ");
  const address = template.replace(/:(\w+)/g, (_, name) => encodeURIComponent(readOwn(path, name) ?? ""));
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  return given.length === 0 ? address : `${address}?${new URLSearchParams(given)}`;
}

const UNREACHABLE = "The server cannot be reached.";

/**
 * Calls an endpoint. The header asks the server to keep the refresh token in the cookie.
 * @throws ApiError
 */
export async function callApi<E extends Endpoint>(endpoint: E, input: Input<E>, token?: string): Promise<Reply<E>> {
  const [method = ""] = endpoint.split(" ");
  const { body } = input as Sent;
  const response = await fetch(addressOf(endpoint, input), {
    method,
    headers: {
      // Only what writes may touch the cookie; and a browser names the origin of nothing else.
      ...(method !== "GET" && { "X-Trackway-Session": "cookie" }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(unreachable);
  const reply = await response.json().catch(() => ({}));
  if (response.ok) return reply;
  const words = reply.issues?.map((issue: { path: string; message: string }) => `${issue.path}: ${issue.message}`);
  const message =
    words?.join("; ") ?? reply.error_description ?? reply.error ?? `The server answered ${response.status}.`;
  throw new ApiError(message, { status: response.status, code: reply.code ?? "", response });
}

/** Turns a fetch without an answer into an error. @throws ApiError, or the abort as it is */
export function unreachable(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new ApiError(UNREACHABLE);
}
