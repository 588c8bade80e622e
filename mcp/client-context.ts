import { graphqlFor } from "./api/graphql.ts";
import { ingestFor } from "./api/ingest.ts";
import type { Capture } from "./capture/capture.ts";
import type { Config } from "./config.ts";
import type { Tool } from "./registry/define-tool.ts";
import { offered, type Selection } from "./registry/selection.ts";
import type { Caller } from "./request-context.ts";

/** On whose behalf requests come, and what they may use. */
export interface Session {
  tools: ReadonlyMap<string, Tool>;
  /** The caller of one request; `signal` ends its work. */
  caller(signal: AbortSignal): Caller;
  /** Records calls, when the process is started to do so and there is an ingest key. */
  capture: Capture | undefined;
}

/** What a session is opened with. */
export interface Credentials {
  apiKey: string;
  ingestKey: string | undefined;
  /** What the request itself selects. */
  selection: Selection;
  refused?: () => void;
  capture?: Capture | undefined;
}

/** A session with the given keys, within what the process allows. */
export function openSession(config: Config, { apiKey, ingestKey, selection, refused, capture }: Credentials): Session {
  const { url } = config;
  return {
    tools: offered(config.ceiling, selection, ingestKey !== undefined),
    capture,
    caller: (signal) => ({
      graphql: graphqlFor({ url, key: apiKey, signal }),
      ingest: ingestKey === undefined ? undefined : ingestFor({ url, key: ingestKey, signal }),
      ...(refused && { refused }),
    }),
  };
}
