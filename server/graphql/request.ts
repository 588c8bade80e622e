import type { GraphQLFormattedError, OperationDefinitionNode } from "graphql";
import type { Principal } from "../auth/principal.ts";
import type { Runtime } from "../runtime.ts";
import type { RequestMeter } from "./budget/meter.ts";
import type { CachedOperation } from "./document/document.ts";
import type { SchemaName } from "./schema.ts";

/** A request to the data plane that has passed the checks of HTTP. */
export interface GraphQLRequest {
  runtime: Runtime;
  principal: Principal;
  /** Budgets of the principal. The meter has already counted this request. */
  meter: RequestMeter;
  /** Network address of the caller. */
  address: string;
  /** Time of arrival. Relative dates in the request are relative to this time. */
  at: Date;
  query: string;
  variables: Readonly<Record<string, unknown>>;
  operationName: string | undefined;
  /** Schema for introspection. */
  shown: SchemaName;
  /** Aborts at the request's deadline. PostgreSQL then cancels the statement. */
  deadline: AbortSignal;
  requestId: string;
  idempotencyKey: string | undefined;
  /** True if the request read recordings that were not completely folded. */
  isBehind?: boolean;
}

/** A valid operation that is ready to run, with coerced variables and arguments. */
export interface ReadyOperation {
  node: OperationDefinitionNode;
  operation: CachedOperation;
  variables: Readonly<Record<string, unknown>>;
  args: readonly Readonly<Record<string, unknown>>[];
}

/** JSON text of root fields, by response key. */
export type RootFieldJsonByKey = Map<string, string>;

/** The response: the text of `data` as the database wrote it, or errors. */
export interface GraphQLResponse {
  /** JSON text of `data`; undefined if execution did not begin. */
  data?: string;
  errors?: readonly GraphQLFormattedError[];
  /** True if the response lacks some recordings that were committed before the request. */
  behind?: boolean | undefined;
}

/** Error of one root field: its path in the response, and the cause. */
export class FieldError extends Error {
  readonly path: readonly (string | number)[];

  constructor(key: string, cause: unknown) {
    super("a field failed", { cause });
    this.path = [key];
  }
}
