import type { Runtime } from "../runtime.ts";
import type { Served } from "./observe.ts";
import type { PatternOf } from "./route-pattern.ts";

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
