import type { GraphQLFormattedError, OperationDefinitionNode } from "graphql";
import type { Principal } from "../auth/principal.ts";
import type { Runtime } from "../runtime.ts";
import type { Meter } from "./budget/meter.ts";
import type { Operation } from "./document/document.ts";
import type { Shown } from "./schema.ts";

/** One request to the data plane, past the transport's checks. */
export interface GraphQLRequest {
  runtime: Runtime;
  principal: Principal;
  /** The principal's budgets; this request is counted already. */
  meter: Meter;
  /** The caller's network address. */
  address: string;
  /** When it came: relative dates in it count from this moment. */
  at: Date;
  query: string;
  variables: Readonly<Record<string, unknown>>;
  operationName: string | undefined;
  /** The schema that introspection shows. */
  shown: Shown;
  /** Aborts at the request's deadline; the statement is then cancelled in PostgreSQL. */
  deadline: AbortSignal;
  requestId: string;
  idempotencyKey: string | undefined;
  /** Set when it read recordings of which some were not folded yet. */
  isBehind?: boolean;
}

/** An operation ready to run: valid, its variables and arguments coerced. */
export interface Ready {
  node: OperationDefinitionNode;
  operation: Operation;
  variables: Readonly<Record<string, unknown>>;
  args: readonly Readonly<Record<string, unknown>>[];
}

/** JSON text of root fields by response key. */
export type Texts = Map<string, string>;

/** The answer: the text of `data` as the database wrote it, or errors. */
export interface GraphQLResponse {
  /** JSON text of `data`; undefined when execution never began. */
  data?: string;
  errors?: readonly GraphQLFormattedError[];
  /** True when recordings that were committed before it are not all in it. */
  behind?: boolean | undefined;
}

/** The failure of one root field: its path in the response; the cause says what went wrong. */
export class FieldError extends Error {
  readonly path: readonly (string | number)[];

  constructor(key: string, cause: unknown) {
    super("a field failed", { cause });
    this.path = [key];
  }
}
