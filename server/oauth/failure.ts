import type Koa from "koa";
import { UnavailableError } from "../../db/errors/unavailable.ts";
import { AppError, HTTP_STATUS } from "../errors.ts";
import type { Runtime } from "../runtime.ts";

/** Error codes of RFC 6749, 7591 and 8707. */
type Code =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_scope"
  | "invalid_target"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "unsupported_grant_type"
  | "unsupported_response_type"
  | "request_not_supported"
  | "access_denied";

/** An error of the client, with an OAuth error code. */
export class OAuthError extends Error {
  readonly code: Code;

  constructor(code: Code, message: string) {
    super(message);
    this.code = code;
  }
}

interface Refusal {
  status: number;
  error: string;
  error_description: string;
  headers: Record<string, string>;
}

/** Responds to a failed request as RFC 6749 specifies. Internal errors are logged and masked. */
export function respondWithOAuthError(runtime: Runtime, ctx: Koa.Context, thrown: unknown): void {
  const { status, headers, ...body } = refusalOf(thrown) ?? masked(runtime, ctx, thrown);
  ctx.status = status;
  ctx.set(headers);
  ctx.body = body;
}

/** Returns the response for an error that the caller may see; undefined for an error that must be masked. */
function refusalOf(thrown: unknown): Refusal | undefined {
  if (thrown instanceof OAuthError) {
    const status = thrown.code === "invalid_client" ? 401 : 400;
    return { status, error: thrown.code, error_description: thrown.message, headers: {} };
  }
  if (thrown instanceof UnavailableError) return busy(thrown.retryAfter);
  if (!(thrown instanceof AppError)) return undefined;
  const { kind, message, details } = thrown;
  const headers = {
    ...details.headers,
    ...(details.retryAfter && { "Retry-After": String(details.retryAfter) }),
  };
  return { status: HTTP_STATUS[kind], error: CODES[kind] ?? "invalid_request", error_description: message, headers };
}

const CODES: Partial<Record<AppError["kind"], string>> = {
  ratelimited: "temporarily_unavailable",
  unavailable: "temporarily_unavailable",
  authentication: "login_required",
  forbidden: "access_denied",
};

const busy = (retryAfter: number): Refusal => ({
  status: 503,
  error: "temporarily_unavailable",
  error_description: "The server is busy or restarting; try again shortly.",
  headers: { "Retry-After": String(retryAfter) },
});

function masked(runtime: Runtime, ctx: Koa.Context, thrown: unknown): Refusal {
  const { requestId } = ctx.state;
  runtime.log.error({ err: thrown, requestId }, "request failed");
  const error_description = `Something went wrong here; it is logged as ${requestId}.`;
  return { status: 500, error: "server_error", error_description, headers: {} };
}
