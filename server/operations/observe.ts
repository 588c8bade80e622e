import type { IncomingMessage, ServerResponse } from "node:http";

/** A request that is over. */
export interface Served {
  requestId: string;
  method: string;
  /** Without the query, which may hold what no log should. */
  path: string;
  status: number;
  ms: number;
  /** Whether the connection ended before the answer did. */
  cut: boolean;
}

/** Calls `tell` once when a request is over, whichever door answered it. */
export function observe(request: IncomingMessage, response: ServerResponse, tell: (served: Served) => void): void {
  const begun = performance.now();
  response.once("close", () => {
    tell({
      requestId: String(response.getHeader("X-Request-Id") ?? ""),
      method: request.method ?? "",
      path: (request.url ?? "").split("?", 1)[0] ?? "",
      status: response.statusCode,
      ms: Math.round((performance.now() - begun) * 10) / 10,
      cut: !response.writableFinished,
    });
  });
}
