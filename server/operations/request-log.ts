import type { IncomingMessage, ServerResponse } from "node:http";
import { requestIdOf } from "../id.ts";
import type { Runtime } from "../runtime.ts";

/** A request that is over. */
export interface Served {
  requestId: string;
  method: string;
  /** Without the query, which may hold what no log should. */
  path: string;
  status: number;
  ms: number;
  /** True when the connection ended before the answer did. */
  cut: boolean;
}

/** Calls `onServed` once when a request is over. */
export function observe(request: IncomingMessage, response: ServerResponse, onServed: (served: Served) => void): void {
  const begun = performance.now();
  response.once("close", () => {
    onServed({
      requestId: requestIdOf(response),
      method: request.method ?? "",
      path: (request.url ?? "").split("?", 1)[0] ?? "",
      status: response.statusCode,
      ms: Math.round((performance.now() - begun) * 10) / 10,
      cut: !response.writableFinished,
    });
  });
}

/** A path's pattern, without its values. */
type PatternOf = (path: string) => string;

const OTHER = "(other)";

/**
 * Finds the pattern a path fits. A caller may put anything into a path, a token too, so the log shows what the server
 * itself has written: the pattern of a known route, or for other paths the longest known beginning and `…`.
 * @param patterns in full, `:name` for the parts that vary
 */
export function routePatterns(patterns: readonly string[]): PatternOf {
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
 * Logs one line a request. Captured events go to the debug level, since their number would drown the rest; failures
 * of the server to the error level. Paths are shown by their patterns: their values may be secrets.
 */
export function logRequest({ log }: Runtime, served: Served, patternOf: PatternOf): void {
  const level = levelOf(served);
  if (!log.isLevelEnabled(level)) return;
  log[level]({ ...served, path: patternOf(served.path) }, "request");
}

function levelOf({ status, path }: Served): "error" | "info" | "debug" {
  if (status >= 500 && status !== 503) return "error";
  return status < 400 && path.startsWith("/api/v1/") ? "debug" : "info";
}
