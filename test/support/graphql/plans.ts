import { getVariableValues } from "graphql";
import { collectedOf, type Operation, operationOf, prepare } from "../../../server/graphql/document/document.ts";
import { argumentsOf } from "../../../server/graphql/document/field-arguments.ts";
import { payloadPlan } from "../../../server/graphql/operation/payload.ts";
import { planOf } from "../../../server/graphql/operation/query.ts";
import { statement } from "../../../server/graphql/plan/plan.ts";
import { schema } from "../../../server/graphql/schema.ts";
import type { Scope } from "../../../server/scope.ts";

type Values = Readonly<Record<string, unknown>>;

/** The statement that a request leads to, or the reason why there is none. */
export type Planned = { text: string; values: readonly unknown[] | undefined } | { error: string };

const ID = "01980000-0000-7000-8000-00000000000f";
const scope = { organizationId: ID, userId: ID, role: "owner", publicUrl: "http://localhost" } as Scope;

/** The statement of the one root field of a document, by the plans that are remembered for its text, or `alone`. */
export function planned(query: string, variables: Values, alone = false): Planned {
  const { operation, args, changes } = operationIn(query, variables, alone);
  return outcomeOf(() => {
    const [text, values] = statementOf(operation, args, changes);
    return { text, values };
  });
}

/** Tells whether connections keep the statement of a query prepared, once it is used often. */
export function isPrepared(query: string, variables: Values): boolean {
  const { operation, args } = operationIn(query, variables, true);
  return !planOf({ operation, args }, operation.roots).unnamed;
}

function operationIn(query: string, variables: Values, alone: boolean) {
  const prepared = prepare(query);
  if (!("document" in prepared)) throw new Error(`${prepared[0]?.message} in ${query}`);
  const node = operationOf(prepared, undefined);
  if (!node) throw new Error(`no operation in ${query}`);
  const { coerced, errors } = getVariableValues(schema, node.variableDefinitions ?? [], variables);
  if (!coerced) throw new Error(`${errors[0]?.message} in ${query}`);
  const operation = collectedOf(alone ? { ...prepared, id: undefined } : prepared, node, coerced);
  const args = argumentsOf(operation.fieldArguments, coerced);
  return { operation, args, changes: node.operation === "mutation" };
}

function statementOf(operation: Operation, args: readonly Values[], changes: boolean) {
  const [root] = operation.roots;
  if (!root) throw new Error("no root field");
  const plan = changes ? payloadPlan({ operation, args }, root) : planOf({ operation, args }, operation.roots);
  const { text, values } = statement(plan, { scope, args, given: { id: ID, ids: [ID] } });
  // A range that is not given ends now, whenever that is.
  const now = new Date().toISOString().slice(0, 10);
  return [text, values?.map((value) => (String(value).startsWith(now) ? "now" : value))] as const;
}

function outcomeOf(work: () => Planned): Planned {
  try {
    return work();
  } catch (error) {
    return { error: String((error as Error).cause ?? error) };
  }
}
