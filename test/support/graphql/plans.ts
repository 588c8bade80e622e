import { getVariableValues } from "graphql";
import {
  type CachedOperation,
  collectFieldsCached,
  prepareDocument,
  selectOperation,
} from "../../../server/graphql/document/document.ts";
import { coerceArguments } from "../../../server/graphql/document/field-arguments.ts";
import { getOrCompilePayloadPlan } from "../../../server/graphql/operation/payload.ts";
import { getOrCompilePlan } from "../../../server/graphql/operation/query.ts";
import { toPlanStatement } from "../../../server/graphql/plan/plan.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import type { Scope } from "../../../server/scope.ts";

type Values = Readonly<Record<string, unknown>>;

/** Statement that the server compiles for a request, or the error. */
export type PlannedStatement = { text: string; values: readonly unknown[] | undefined } | { error: string };

const ID = "01980000-0000-7000-8000-00000000000f";
const scope = { organizationId: ID, userId: ID, role: "owner", publicUrl: "http://localhost" } as Scope;

/**
 * Compiles the statement of a document with one root field. Uses cached plans of the document's text, unless `alone`.
 */
export function planDocument(query: string, variables: Values, alone = false): PlannedStatement {
  const { operation, args, changes } = operationIn(query, variables, alone);
  return outcomeOf(() => {
    const [text, values] = statementOf(operation, args, changes);
    return { text, values };
  });
}

/** Tells whether connections keep the statement of a frequent query prepared. */
export function isPrepared(query: string, variables: Values): boolean {
  const { operation, args } = operationIn(query, variables, true);
  return !getOrCompilePlan({ operation, args }, operation.roots).unnamed;
}

function operationIn(query: string, variables: Values, alone: boolean) {
  const prepared = prepareDocument(query);
  if (!("document" in prepared)) throw new Error(`${prepared[0]?.message} in ${query}`);
  const node = selectOperation(prepared, undefined);
  if (!node) throw new Error(`no operation in ${query}`);
  const { coerced, errors } = getVariableValues(combinedSchema, node.variableDefinitions ?? [], variables);
  if (!coerced) throw new Error(`${errors[0]?.message} in ${query}`);
  const operation = collectFieldsCached(alone ? { ...prepared, id: undefined } : prepared, node, coerced);
  const args = coerceArguments(operation.fieldArguments, coerced);
  return { operation, args, changes: node.operation === "mutation" };
}

function statementOf(operation: CachedOperation, args: readonly Values[], changes: boolean) {
  const [root] = operation.roots;
  if (!root) throw new Error("no root field");
  const plan = changes
    ? getOrCompilePayloadPlan({ operation, args }, root)
    : getOrCompilePlan({ operation, args }, operation.roots);
  const { text, values } = toPlanStatement(plan, { scope, args, given: { id: ID, ids: [ID] } });
  // A range without an end ends at the current time.
  const now = new Date().toISOString().slice(0, 10);
  return [text, values?.map((value) => (String(value).startsWith(now) ? "now" : value))] as const;
}

function outcomeOf(work: () => PlannedStatement): PlannedStatement {
  try {
    return work();
  } catch (error) {
    return { error: String((error as Error).cause ?? error) };
  }
}
