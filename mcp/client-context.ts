import { createGraphqlClient, type GraphqlClient } from "./api/graphql.ts";
import { createIngestClient, type IngestClient } from "./api/ingest.ts";
import type { Capture } from "./capture/capture.ts";
import type { Config } from "./config.ts";
import type { Tool } from "./registry/define-tool.ts";
import { selectTools, type ToolSelection } from "./registry/selection.ts";

/** The context of one request: Trackway's APIs in the name of the client's keys. */
export interface RequestContext {
  graphql: GraphqlClient;
  /** Only with an ingest key. */
  ingest: IngestClient | undefined;
  /** True once an answer may have lacked what was recorded in the last moments. */
  isBehind: boolean;
  /** Called when Trackway refuses the personal key, so that HTTP can answer 401. */
  onKeyRefused?: () => void;
}

/** The tools a client sees, and the keys its requests are made with. */
export interface ClientContext {
  tools: ReadonlyMap<string, Tool>;
  /** The context of one request; `signal` ends its work. */
  request(signal: AbortSignal): RequestContext;
  /** Records calls, when the process is started to do so and there is an ingest key. */
  capture: Capture | undefined;
}

/** The keys and the selection of a client. */
export interface ClientOptions {
  apiKey: string;
  ingestKey: string | undefined;
  selection: ToolSelection;
  onKeyRefused?: () => void;
  capture?: Capture | undefined;
}

/** The context of a client, within what the process allows. */
export function createClientContext(config: Config, client: ClientOptions): ClientContext {
  const { apiKey, ingestKey, onKeyRefused } = client;
  const { url } = config;
  return {
    tools: selectTools(config.allowedTools, client.selection, ingestKey !== undefined),
    capture: client.capture,
    request: (signal) => {
      const onBehind = () => {
        context.isBehind = true;
      };
      const context: RequestContext = {
        graphql: createGraphqlClient({ url, key: apiKey, signal, onBehind }),
        ingest: ingestKey === undefined ? undefined : createIngestClient({ url, key: ingestKey, signal }),
        isBehind: false,
        ...(onKeyRefused && { onKeyRefused }),
      };
      return context;
    },
  };
}
