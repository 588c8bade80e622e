/** The refusal of the server, in its own text. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The member of the input that the refusal is about; empty where it names none. */
  readonly field: string;
  /** True if trying again may help. */
  readonly passing: boolean;

  constructor(
    message: string,
    { status = 0, code = "network", field = "" }: { status?: number; code?: string; field?: string } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.passing = status === 0 || status === 429 || status >= 500;
  }
}

/** Options of a call. */
export interface CallOptions {
  method?: "GET" | "POST" | "PATCH" | "DELETE";
  body?: unknown;
  token?: string | undefined;
  signal?: AbortSignal | undefined;
}

const UNREACHABLE = "The server cannot be reached.";

/**
 * Calls an endpoint under /api. The header asks the server to keep the refresh token in the cookie.
 * @throws ApiError
 */
export async function callApi<Reply>(path: string, { method = "POST", body, token, signal }: CallOptions = {}) {
  const response = await fetch(path, {
    method,
    headers: {
      // Only what writes may touch the cookie; and a browser names the origin of nothing else.
      ...(method !== "GET" && { "X-Trackway-Session": "cookie" }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  }).catch(unreachable);
  const reply = await response.json().catch(() => ({}));
  if (response.ok) return reply as Reply;
  const words = reply.issues?.map((issue: { path: string; message: string }) => `${issue.path}: ${issue.message}`);
  const message =
    words?.join("; ") ?? reply.error_description ?? reply.error ?? `The server answered ${response.status}.`;
  throw new ApiError(message, { status: response.status, code: reply.code ?? "" });
}

/** Turns a fetch without an answer into an error. @throws ApiError, or the abort as it is */
export function unreachable(error: unknown): never {
  if (error instanceof DOMException && error.name === "AbortError") throw error;
  throw new ApiError(UNREACHABLE);
}
