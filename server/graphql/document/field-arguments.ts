import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  getArgumentValues,
  isObjectType,
  visit,
} from "graphql";
import { getOwnProperty } from "../../../formats/own.ts";
import { type FieldIssue, invalidFieldsError } from "../../errors.ts";
import { rootValues } from "../../resources/index.ts";
import { getShapeWriter } from "../plan/plan-key.ts";
import type { ReadyOperation } from "../request.ts";
import { combinedSchema } from "../schema.ts";
import { findFilterVariables, setUnsetFilterVariablesToNull } from "./filter-variables.ts";

/** A field with arguments, at its first position in the document. */
export interface FieldArguments {
  definition: GraphQLField<unknown, unknown>;
  node: FieldNode;
  /** Coerced arguments, if they are the same for every request. */
  fixed?: Readonly<Record<string, unknown>>;
  /** Variables inside the field's filters. */
  inFilters: ReturnType<typeof findFilterVariables>;
  /** Returns the part of the arguments that the SQL may depend on. */
  shape(args: Readonly<Record<string, unknown>>): string;
}

/** Returns the arguments of a field. Arguments that never vary are coerced immediately. */
export function readFieldArguments(definition: FieldArguments["definition"], node: FieldNode): FieldArguments {
  let varies = false;
  const vary = () => {
    varies = true;
  };
  // A string also counts as varying, because a string may be a duration, which means a different time at each request.
  visit(node, { SelectionSet: () => false, Variable: vary, StringValue: vary });
  const shape = getShapeWriter(definition);
  if (varies) return { definition, node, shape, inFilters: findFilterVariables({ definition, node }) };
  const fixed = getArgumentValues(definition, node);
  const always = shape(fixed);
  return { definition, node, fixed, shape: () => always, inFilters: [] };
}

/** Coerces the arguments of every field with arguments. @throws GraphQLError for a value of the wrong type. */
export const coerceArguments = (fields: readonly FieldArguments[], variables: Readonly<Record<string, unknown>>) =>
  fields.map(({ definition, node, fixed, inFilters }) => {
    const given =
      fixed ?? setUnsetFilterVariablesToNull(getArgumentValues(definition, node, variables), inFilters, variables);
    return getOwnProperty(rootValues, definition.name)?.normalized?.(given) ?? given;
  });

/** Returns true if the schema marks an argument as unsupported by this server (`@refused`). */
export const isUnsupportedArgument = ({ astNode }: GraphQLArgument): boolean =>
  astNode?.directives?.some(({ name }) => name.value === "refused") ?? false;

/** Names of refused arguments, by field. */
const REFUSED = new Map<GraphQLField<unknown, unknown>, readonly string[]>();
for (const type of Object.values(combinedSchema.getTypeMap())) {
  for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
    const names = field.args.filter(isUnsupportedArgument).map(({ name }) => name);
    if (names.length > 0) REFUSED.set(field, names);
  }
}

/**
 * Rejects arguments that this server does not support.
 * @throws invalidFieldsError with every unsupported argument whose value is neither null nor false
 */
export function rejectUnsupportedArguments({ operation, args }: ReadyOperation): void {
  const issues = operation.fieldArguments.flatMap(({ definition }, argumentIndex) =>
    issuesOf(REFUSED.get(definition), args[argumentIndex] ?? {}),
  );
  if (issues.length > 0) throw invalidFieldsError(issues);
}

const issuesOf = (names: readonly string[] = [], given: Readonly<Record<string, unknown>>): FieldIssue[] =>
  names
    .filter((name) => (getOwnProperty(given, name) ?? false) !== false)
    .map((path) => ({ path, message: "this server does not do that; leave it out" }));
