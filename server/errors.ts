import { count } from "./counters.ts";

/** The kinds of failure that every API translates from. */
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
  /** The stable tag in REST and ingest bodies; the kind decides when absent. */
  tag?: string;
  field?: string;
  limit?: number;
  /** The entity that was not found, by the name of its type. */
  entity?: string;
  issues?: FieldIssue[];
  /** Whole seconds, for the Retry-After header. */
  retryAfter?: number;
  /** Further response headers, such as Allow or WWW-Authenticate. */
  headers?: Record<string, string>;
  /** Further members of GraphQL `extensions`. */
  extensions?: Record<string, unknown>;
}

/** The only error class of the server. It carries all that a caller may know, and nothing else. */
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

/** HTTP status of each kind over REST and ingestion. GraphQL answers 200 with codes: server/graphql/failure.ts. */
export const STATUS: Record<ErrorKind, number> = {
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

/** Bad arguments, cursors and references. */
export const inputError = (message: string, field?: string) => new AppError("input", message, field ? { field } : {});

/** Failed field checks, all at once. */
export const invalidInput = (issues: FieldIssue[], tag = "invalid_input") =>
  new AppError("invalid", issues.map((issue) => `${issue.path}: ${issue.message}`).join("; "), { issues, tag });

/** The same words for an id that does not exist and one of another organization. */
export const notFound = (type: string, id: string) =>
  new AppError("not_found", `${type} not found: ${id}`, { field: "id", entity: typeNameOf(type) });

/** The name of a type from what people call it: WorkflowState is a workflow state. */
const typeNameOf = (words: string): string => words.replaceAll(/(?:^| )\w/g, (start) => start.trim().toUpperCase());

export const conflict = (message: string, tag?: string, field?: string) =>
  new AppError("conflict", message, { ...(tag && { tag }), ...(field && { field }) });

export const forbidden = (message: string, tag = "forbidden") => new AppError("forbidden", message, { tag });

export const authenticationError = (message: string, headers: Record<string, string> = {}) =>
  new AppError("authentication", message, { tag: "unauthorized", headers });

export function rateLimited(message: string, retryAfter: number): AppError {
  count("rate_limited_total");
  return new AppError("ratelimited", message, { retryAfter, tag: "rate_limited" });
}

export const unavailable = (message: string, retryAfter = 1) => new AppError("unavailable", message, { retryAfter });
