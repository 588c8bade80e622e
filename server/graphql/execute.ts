import { GraphQLError, getVariableValues, type OperationDefinitionNode } from "graphql";
import type { Scope } from "../core/scope.ts";
import { forbidden } from "../errors.ts";
import { collectedOf, operationOf, type Prepared, prepare } from "./document.ts";
import { formatted } from "./failure.ts";
import { introspect } from "./introspect.ts";
import { runMutation } from "./mutation.ts";
import { FieldFailure, runQuery } from "./query.ts";
import type { Answer, GraphQLRequest } from "./request.ts";
import { schema } from "./schema.ts";

/** Parses, checks and runs a request. Answers errors rather than throwing them. */
export async function execute(request: GraphQLRequest): Promise<Answer> {
  const { log } = request.runtime;
  const fail = (...errors: readonly unknown[]): Answer => ({
    errors: errors.map((error) => formatted(error, log, request.requestId)),
  });
  let prepared: Prepared;
  try {
    const result = prepare(request.query);
    if (!("document" in result)) return fail(...result);
    prepared = result;
  } catch (error) {
    return fail(error);
  }
  const operation = operationOf(prepared, request.operationName);
  if (!operation) return fail(new GraphQLError("name the operation to run in operationName"));
  const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], request.variables, {
    maxErrors: 5,
  });
  if (!coerced) return fail(...errors);
  return run({ ...request, variables: coerced }, prepared, operation);
}

async function run(request: GraphQLRequest, prepared: Prepared, operation: OperationDefinitionNode): Promise<Answer> {
  const { log } = request.runtime;
  try {
    const collected = collectedOf(prepared, operation, request.variables);
    const scope = scopeOf(
      request,
      collected.roots.every(({ field }) => field === "viewer"),
    );
    const perform = operation.operation === "mutation" ? runMutation : runQuery;
    const texts = [
      ...(await perform(request, scope, prepared, collected)),
      ...introspect(prepared, collected.introspection, request.variables, operation),
    ];
    return { data: `{${texts.map(([key, text]) => `"${key}":${text}`).join()}}` };
  } catch (error) {
    if (error instanceof FieldFailure)
      return { data: "null", errors: [formatted(error.cause, log, request.requestId, error.path)] };
    const answer = { errors: [formatted(error, log, request.requestId)] };
    return error instanceof GraphQLError ? answer : { data: "null", ...answer };
  }
}

/** @throws forbidden for a token without an organization. */
function scopeOf({ principal, runtime }: GraphQLRequest, _viewerOnly: boolean): Scope {
  const { organizationId, userId, role } = principal;
  if (!organizationId || !userId || !role) {
    throw forbidden(
      "the token carries no organization; create one with POST /api/organization, and use the token it answers",
    );
  }
  return { db: runtime.db, organizationId, userId, role, publicUrl: runtime.publicUrl };
}
