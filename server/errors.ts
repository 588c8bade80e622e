import { incrementCounter } from "./counters.ts";

/** The kinds of errors. Every API translates a kind into its own code or status. */
export type ErrorKind =
  | "authentication"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "gone"
  | "input"
  | "invalid"
  | "ratelimited"
  | "too_large"
  | "timeout"
  | "unsupported"
  | "method"
  | "unavailable";

export interface FieldIssue {
  path: string;
  message: string;
}

interface Details {
  /** Stable error code in REST and ingestion responses. Without a tag, the code is derived from the kind. */
  tag?: string;
  field?: string;
  limit?: number;
  /** The type name of the entity that was not found. */
  entity?: string;
  issues?: FieldIssue[];
  /** Whole seconds, for the Retry-After header. */
  retryAfter?: number;
  /** Further response headers, such as Allow or WWW-Authenticate. */
  headers?: Record<string, string>;
  /** Further members of GraphQL `extensions`. */
  extensions?: Record<string, unknown>;
}

/**
 * The error class of failures that an API reports to its caller. An AppError contains only information that the
 * caller may know.
 */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly details: Details;

  constructor(kind: ErrorKind, message: string, details: Details = {}) {
    super(message);
    this.name = "AppError";
    this.kind = kind;
    this.details = details;
  }
}

/**
 * HTTP status of each kind over REST and ingestion. GraphQL responds with
 * 200 and error codes: server/graphql/failure.ts.
 */
export const HTTP_STATUS: Record<ErrorKind, number> = {
  authentication: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  input: 400,
  invalid: 400,
  ratelimited: 429,
  too_large: 413,
  timeout: 408,
  unsupported: 415,
  method: 405,
  unavailable: 503,
};

/** An error about arguments, cursors or references. */
export const inputError = (message: string, field?: string) => new AppError("input", message, field ? { field } : {});

/** An error that lists all failed field checks. */
export const invalidFieldsError = (issues: FieldIssue[], tag = "invalid_input") =>
  new AppError("invalid", issues.map((issue) => `${issue.path}: ${issue.message}`).join("; "), { issues, tag });

/** An unknown id and an id of another organization give the same message. */
export const notFound = (type: string, id: string) =>
  new AppError("not_found", `${type} not found: ${id}`, { field: "id", entity: typeNameOf(type) });

/** Converts words to a type name: `workflow state` becomes `WorkflowState`. */
const typeNameOf = (words: string): string => words.replaceAll(/(?:^| )\w/g, (start) => start.trim().toUpperCase());

export const conflict = (message: string, tag?: string, field?: string) =>
  new AppError("conflict", message, { ...(tag && { tag }), ...(field && { field }) });

export const forbidden = (message: string, tag = "forbidden") => new AppError("forbidden", message, { tag });

export const authenticationError = (message: string, headers: Record<string, string> = {}) =>
  new AppError("authentication", message, { tag: "unauthorized", headers });

export function rateLimited(message: string, retryAfter: number): AppError {
  incrementCounter("rate_limited_total");
  return new AppError("ratelimited", message, { retryAfter, tag: "rate_limited" });
}

export const unavailable = (message: string, retryAfter = 1) => new AppError("unavailable", message, { retryAfter });
