import type Koa from "koa";
import { z } from "zod";
import { UnavailableError } from "../../db/errors/unavailable.ts";
import { AppError, type ErrorKind, HTTP_STATUS } from "../errors.ts";
import type { Runtime } from "../runtime.ts";

/** Body of every error of the control plane: a sentence, a code, and the invalid field, if any. */
export const errorBodySchema = z.object({
  error: z.string().describe("Error message for people."),
  code: z.string().describe("Stable error code for programs."),
  request_id: z.string(),
  field: z.string().optional().describe("Name of the invalid field, if any."),
  limit: z.number().optional().describe("The limit that the request exceeded, if any."),
  issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

const CODES: Record<ErrorKind, string> = {
  authentication: "unauthorized",
  forbidden: "forbidden",
  not_found: "not_found",
  conflict: "conflict",
  gone: "gone",
  input: "invalid_input",
  invalid: "invalid_input",
  ratelimited: "rate_limited",
  too_large: "payload_too_large",
  unsupported: "unsupported_media_type",
  method: "method_not_allowed",
  unavailable: "unavailable",
  timeout: "timeout",
};

/** Responds to a failed request. Internal errors are logged and masked. */
export function respondWithError(runtime: Runtime, ctx: Koa.Context, thrown: unknown): void {
  const error = told(thrown);
  const request_id: string = ctx.state.requestId;
  if (!error) {
    runtime.log.error({ err: thrown, requestId: request_id }, "request failed");
    ctx.status = 500;
    ctx.body = {
      error: `The request failed because of an internal error. The server's log contains the error with the request id ${request_id}.`,
      code: "internal_error",
      request_id,
    };
    return;
  }
  const { tag, field, issues, retryAfter, headers } = error.details;
  ctx.status = HTTP_STATUS[error.kind];
  if (headers) ctx.set(headers);
  if (retryAfter) ctx.set("Retry-After", String(retryAfter));
  ctx.body = {
    error: error.message,
    code: tag ?? CODES[error.kind],
    request_id,
    ...(field && { field }),
    ...(issues && { issues }),
  };
}

function told(thrown: unknown): AppError | null {
  if (thrown instanceof AppError) return thrown;
  if (!(thrown instanceof UnavailableError)) return null;
  return new AppError("unavailable", "The server is busy or restarting; try again shortly.", {
    retryAfter: thrown.retryAfter,
  });
}
