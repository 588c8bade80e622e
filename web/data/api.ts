import { getOwnProperty } from "../../formats/own.ts";
import { parseRetryAfterMs } from "../../formats/time.ts";
import type { Endpoints } from "./endpoints.ts";

/** Endpoint under `/api`, such as `GET /api/members`. */
export type Endpoint = keyof Endpoints;
/** Path parameters, query and body of an endpoint. */
export type EndpointInput<E extends Endpoint> = Omit<Endpoints[E], "reply">;
/** Response body of an endpoint. */
export type EndpointReply<E extends Endpoint> = Endpoints[E]["reply"];

/** Details of a failed request, besides the message. */
interface Refusal {
  status?: number;
  code?: string;
  field?: string;
  /** Response that contained the error. */
  response?: Response;
}

/** Error response of the server, with the server's message. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** Field of the input that the error names; empty if the error names no field. */
  readonly field: string;
  /** True if a retry may succeed. */
  readonly passing: boolean;
  /** Milliseconds to wait before the next request, from `Retry-After`; 0 without that header. */
  readonly retryAfterMs: number;

  constructor(message: string, { status = 0, code = "network", field = "", response }: Refusal = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.retryAfterMs = parseRetryAfterMs(response?.headers.get("Retry-After"), Date.now()) ?? 0;
    this.passing = status === 0 || status === 429 || status >= 500;
  }
}

interface Sent {
  path?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
}

/** Builds the URL of an endpoint. Omits empty query values. */
export function buildUrl<E extends Endpoint>(endpoint: E, input: EndpointInput<E>): string {
  const { path = {}, query = {} } = input as Sent;
  const [, template = ""] = endpoint.split(" ");
  const address = template.replace(/:(\w+)/g, (_, name) => encodeURIComponent(getOwnProperty(path, name) ?? ""));
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
  return given.length === 0 ? address : `${address}?${new URLSearchParams(given)}`;
}

const UNREACHABLE = "Cannot reach the server.";

/**
 * Calls an endpoint. The header `X-Trackway-Session` asks the server to keep the refresh token in a cookie.
 * @throws ApiError
 */
export async function callApi<E extends Endpoint>(
  endpoint: E,
  input: EndpointInput<E>,
  token?: string,
): Promise<EndpointReply<E>> {
  const [method = ""] = endpoint.split(" ");
  const { body } = input as Sent;
  const response = await fetch(buildUrl(endpoint, input), {
    method,
    headers: {
      // GET requests do not send the header. The server accepts the header only with `Origin`, and browsers do not send
      // `Origin` with a same-origin GET request.
      ...(method !== "GET" && { "X-Trackway-Session": "cookie" }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(throwUnreachable);
  const reply = await response.json().catch(() => ({}));
  if (response.ok) return reply;
  const words = reply.issues?.map((issue: { path: string; message: string }) => `${issue.path}: ${issue.message}`);
  const message =
    words?.join("; ") ?? reply.error_description ?? reply.error ?? `The server responded with ${response.status}.`;
  throw new ApiError(message, { status: response.status, code: reply.code ?? "", response });
}

/** Throws an ApiError for a fetch that received no response. @throws ApiError, or the original AbortError */
export function throwUnreachable(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new ApiError(UNREACHABLE);
}
