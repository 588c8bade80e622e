import type { GraphqlClient } from "./api/graphql.ts";
import type { IngestClient } from "./api/ingest.ts";

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
