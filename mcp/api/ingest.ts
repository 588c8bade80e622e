import { ToolError } from "../errors.ts";

/** The ingest API in the name of one `sk_` key. */
export interface IngestClient {
  /** POST /api/v1/{path}; rejects with a ToolError the model can act on. */
  post<Answer>(path: "capture-session" | "capture-event" | "capture-events", body: unknown): Promise<Answer>;
}

const DEADLINE_MS = 20_000;

interface ClientOptions {
  url: string;
  /** The caller's ingest key, sent as x-api-key. */
  key: string;
  signal: AbortSignal;
}

/** The three capture endpoints behind one key. */
export function createIngestClient({ url, key, signal }: ClientOptions): IngestClient {
  return {
    async post<Answer>(path: string, body: unknown) {
      const response = await fetch(`${url}/api/v1/${path}`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
      }).catch((error: Error) => {
        const cause = (error.cause as { code?: string } | undefined)?.code ?? error.message;
        throw new ToolError(`Trackway is not reachable at ${url} (${cause}). Start it or correct TRACKER_URL.`);
      });
      const answer = await response.json().catch(() => ({}));
      if (!response.ok) throw refusal(response, answer as { error?: string });
      return answer as Answer;
    },
  };
}

function refusal(response: Response, answer: { error?: string }): ToolError {
  const wait = response.headers.get("retry-after");
  if (response.status === 401) {
    return new ToolError("Trackway refused the ingest key. Create one with POST /api/ingest-keys and configure it.");
  }
  const cause = answer.error ?? `The ingest API answered HTTP ${response.status}`;
  const next = wait ? `Wait ${wait} s, then repeat the call.` : "Correct the arguments and call again.";
  return new ToolError(`${cause.replace(/\.$/, "")}. ${next}`);
}
