import type { Graphql } from "./api/graphql.ts";
import type { Ingest } from "./api/ingest.ts";

/** Who a call is made for, and by what means it reaches Trackway. Made anew for every request over HTTP. */
export interface Caller {
  graphql: Graphql;
  /** Only with an ingest key. */
  ingest: Ingest | undefined;
  /** Told when Trackway refuses the key, so that HTTP can answer 401. */
  refused?: () => void;
}
