import type { IncomingMessage, ServerResponse } from "node:http";
import { requestIdOf } from "../id.ts";

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
