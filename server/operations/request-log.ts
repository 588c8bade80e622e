import type { Runtime } from "../runtime.ts";
import { blanked } from "./log.ts";
import type { Served } from "./observe.ts";

/**
 * Logs one line a request. Captured events go to the debug level, since their number would drown the rest; failures
 * of the server to the error level.
 */
export function logRequest({ log }: Runtime, served: Served): void {
  const level = levelOf(served);
  if (!log.isLevelEnabled(level)) return;
  log[level]({ ...served, path: blanked(served.path) }, "request");
}

function levelOf({ status, path }: Served): "error" | "info" | "debug" {
  if (status >= 500 && status !== 503) return "error";
  return status < 400 && path.startsWith("/api/v1/") ? "debug" : "info";
}
