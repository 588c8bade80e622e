import { createGraphqlClient, type GraphqlClient } from "./api/graphql.ts";
import { createIngestClient, type IngestClient } from "./api/ingest.ts";
import type { CaptureToolCall } from "./capture/capture.ts";
import type { Config } from "./config.ts";
import type { Tool } from "./registry/define-tool.ts";
import { selectTools, type ToolSelection } from "./registry/selection.ts";

/** Context of one request: clients of the GraphQL and ingest APIs that use the keys of the MCP client. */
export interface RequestContext {
  graphql: GraphqlClient;
  /** Set if the client has an ingest key. */
  ingest: IngestClient | undefined;
  /** True if a response may lack events that were recorded a moment ago. */
  isBehind: boolean;
  /** Called when the Trackway server refuses the personal key, so that the HTTP response is a 401. */
  onKeyRefused?: () => void;
}

/** The parts of the server that a client may use: its tools, and a context for each of its requests. */
export interface ClientContext {
  tools: ReadonlyMap<string, Tool>;
  /** Creates the context of one request; `signal` aborts the work. */
  request(signal: AbortSignal): RequestContext;
  /** Records calls. Set if the process was started with recording and the client has an ingest key. */
  capture: CaptureToolCall | undefined;
}

/** Keys and selected tools of a client. */
export interface ClientOptions {
  apiKey: string;
  ingestKey: string | undefined;
  selection: ToolSelection;
  onKeyRefused?: () => void;
  capture?: CaptureToolCall | undefined;
}

/** Creates the context of a client, with the tools that the process allows. */
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
