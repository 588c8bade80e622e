import { parseRetryAfterSeconds } from "../../formats/time.ts";
import { ToolError } from "../errors.ts";
import { explainNonTrackwayResponse, explainUnreachable, parseJsonObjectBody, toStringOrUndefined } from "./answer.ts";
import { type FetchResponse, fetchKeepAlive } from "./fetch.ts";

/** Client of the ingest API with one key. */
export interface IngestClient {
  /** Sends POST /api/v1/{path}. @throws ToolError with a cause and a next step for the model */
  post<Body>(path: "capture-session" | "capture-event" | "capture-events", body: unknown): Promise<Body>;
}

const DEADLINE_MS = 20_000;

interface IngestOptions {
  url: string;
  /** The caller's ingest key, or an OAuth token with the scope `record`. */
  key: string;
  signal: AbortSignal;
}

export function createIngestClient({ url, key, signal }: IngestOptions): IngestClient {
  return {
    async post<Body>(path: string, body: unknown) {
      const address = `${url}/api/v1/${path}`;
      const response = await fetchKeepAlive(address, {
        headers: new Headers({ ...credential(key), "content-type": "application/json" }),
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
      }).catch((error: Error) => {
        throw new ToolError(explainUnreachable(error, url));
      });
      const json = await parseJsonObjectBody(response);
      if (!response.ok) throw ingestError(address, response, toStringOrUndefined(json["error"]));
      if (!isTaken(path, json)) throw new ToolError(explainNonTrackwayResponse(address, response.status));
      return json as Body;
    },
  };
}

const credential = (key: string): Record<string, string> =>
  key.startsWith("sk_") ? { "x-api-key": key } : { authorization: `Bearer ${key}` };

/**
 * Returns true if the response shows that the server accepted the request. The response to events contains the number
 * of accepted events, and the response to a session contains the session's id.
 */
const isTaken = (path: string, json: Record<string, unknown>): boolean =>
  path === "capture-events" ? typeof json["accepted"] === "number" : Object.keys(json).length > 0;

function ingestError(address: string, response: FetchResponse, error: string | undefined): ToolError {
  const location = response.headers.get("location");
  if (error === undefined && response.status < 500 && response.status !== 401)
    return new ToolError(explainNonTrackwayResponse(address, response.status, { location }));
  const wait = parseRetryAfterSeconds(response.headers.get("retry-after"));
  if (response.status === 401) {
    return new ToolError(
      "Trackway rejected the ingest key. Create a new key with POST /api/ingest-keys and configure the new key.",
    );
  }
  const cause = error ?? `The ingest API answered HTTP ${response.status}`;
  const next = wait !== undefined ? `Wait ${wait} s, then repeat the call.` : "Correct the arguments and call again.";
  return new ToolError(`${cause.replace(/\.$/, "")}. ${next}`);
}
