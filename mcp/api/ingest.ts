import { retryAfterSeconds } from "../../formats/time.ts";
import { ToolError } from "../errors.ts";

/** A client of the ingest API in the name of one key. */
export interface IngestClient {
  /** POST /api/v1/{path}; rejects with a ToolError the model can act on. */
  post<Body>(path: "capture-session" | "capture-event" | "capture-events", body: unknown): Promise<Body>;
}

const DEADLINE_MS = 20_000;

interface IngestOptions {
  url: string;
  /** The caller's ingest key, or a token of OAuth that may record. */
  key: string;
  signal: AbortSignal;
}

/** A client of the three capture endpoints. */
export function createIngestClient({ url, key, signal }: IngestOptions): IngestClient {
  return {
    async post<Body>(path: string, body: unknown) {
      const response = await fetch(`${url}/api/v1/${path}`, {
        method: "POST",
        headers: { ...credential(key), "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
      }).catch((error: Error) => {
        const cause = (error.cause as { code?: string } | undefined)?.code ?? error.message;
        throw new ToolError(`Trackway is not reachable at ${url} (${cause}). Start it or correct TRACKER_URL.`);
      });
      const json = await response.json().catch(() => ({}));
      if (!response.ok) throw ingestError(response, json as { error?: string });
      return json as Body;
    },
  };
}

const credential = (key: string): Record<string, string> =>
  key.startsWith("sk_") ? { "x-api-key": key } : { authorization: `Bearer ${key}` };

function ingestError(response: Response, json: { error?: string }): ToolError {
  const wait = retryAfterSeconds(response.headers.get("retry-after"));
  if (response.status === 401) {
    return new ToolError("Trackway refused the ingest key. Create one with POST /api/ingest-keys and configure it.");
  }
  const cause = json.error ?? `The ingest API answered HTTP ${response.status}`;
  const next = wait !== undefined ? `Wait ${wait} s, then repeat the call.` : "Correct the arguments and call again.";
  return new ToolError(`${cause.replace(/\.$/, "")}. ${next}`);
}
