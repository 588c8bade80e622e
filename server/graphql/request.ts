import type { GraphQLFormattedError } from "graphql";
import type { Principal } from "../auth/principal.ts";
import type { Runtime } from "../http.ts";

/** One request to the data plane, past the transport's checks. */
export interface GraphQLRequest {
  runtime: Runtime;
  principal: Principal;
  query: string;
  variables: Readonly<Record<string, unknown>>;
  operationName: string | undefined;
  /** Aborts at the request's deadline; PostgreSQL is then told to stop the statement. */
  deadline: AbortSignal;
  requestId: string;
  idempotencyKey: string | undefined;
}

/** What is answered: the text of `data` as the database wrote it, or errors. */
export interface Answer {
  /** JSON text of `data`; undefined when execution never began. */
  data?: string;
  errors?: readonly GraphQLFormattedError[];
}
