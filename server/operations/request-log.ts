import type { IncomingMessage, ServerResponse } from "node:http";
import { readRequestId } from "../id.ts";
import type { Runtime } from "../runtime.ts";

export interface FinishedRequest {
  requestId: string;
  method: string;
  /** Path without the query, which may contain secrets. */
  path: string;
  status: number;
  ms: number;
  /** True if the connection ended before the response was complete. */
  cut: boolean;
}

/** Calls `onServed` once when a request has finished. */
export function observeRequest(
  request: IncomingMessage,
  response: ServerResponse,
  onServed: (served: FinishedRequest) => void,
): void {
  const begun = performance.now();
  response.once("close", () => {
    onServed({
      requestId: readRequestId(response),
      method: request.method ?? "",
      path: (request.url ?? "").split("?", 1)[0] ?? "",
      status: response.statusCode,
      ms: Math.round((performance.now() - begun) * 10) / 10,
      cut: !response.writableFinished,
    });
  });
}

/** Returns the route pattern of a path. The pattern contains no values from the path. */
type PatternOf = (path: string) => string;

const OTHER = "(other)";

/**
 * Returns a function that finds the pattern of a path. A caller may put anything into a path, even a token, so the
 * log shows only text from the server's own code: the pattern of a known route, or for other paths the longest known
 * beginning and `…`.
 * @param patterns full paths, with `:name` for variable parts
 */
export function createRoutePatternFinder(patterns: readonly string[]): PatternOf {
  const fixed = new Set(patterns.filter((pattern) => !pattern.includes(":")));
  const varying = patterns
    .filter((pattern) => pattern.includes(":"))
    .map((pattern) => ({ pattern, fits: new RegExp(`^${pattern.replace(/:\w+/g, "[^/]+")}/?$`) }));
  const beginnings = [...new Set(patterns.flatMap(beginningsOf))].sort((a, b) => b.length - a.length);
  return (path) => {
    if (fixed.has(path)) return path;
    const found = varying.find(({ fits }) => fits.test(path));
    if (found) return found.pattern;
    const beginning = beginnings.find((start) => path.startsWith(start));
    return beginning ? `${beginning}…` : OTHER;
  };
}

/** `/api/webhooks/:id` begins with `/api/webhooks/` and `/api/`. */
function beginningsOf(pattern: string): string[] {
  const parts = pattern.split("/:", 1)[0]?.split("/").slice(1) ?? [];
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join("/")}/`);
}

/**
 * Logs one line per request. Captured events are logged at the debug level, because their number would hide other
 * lines; server errors at the error level. Paths appear as patterns, because their values may be secrets.
 */
export function logRequest({ log }: Runtime, served: FinishedRequest, patternOf: PatternOf): void {
  const level = levelOf(served);
  if (!log.isLevelEnabled(level)) return;
  log[level]({ ...served, path: patternOf(served.path) }, "request");
}

function levelOf({ status, path }: FinishedRequest): "error" | "info" | "debug" {
  if (status >= 500 && status !== 503) return "error";
  return status < 400 && path.startsWith("/api/v1/") ? "debug" : "info";
}
