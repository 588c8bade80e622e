import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  getArgumentValues,
  isObjectType,
  visit,
} from "graphql";
import { readOwn } from "../../../formats/own.ts";
import { type FieldIssue, invalidInput } from "../../errors.ts";
import { rootValues } from "../../resources/index.ts";
import { getShapeWriter } from "../plan/plan-key.ts";
import type { ReadyOperation } from "../request.ts";
import { schema } from "../schema.ts";
import { filterVariables, withUnsetAsNull } from "./filter-variables.ts";

/** A field with arguments, at its first position in the document. */
export interface FieldArguments {
  definition: GraphQLField<unknown, unknown>;
  node: FieldNode;
  /** Coerced arguments, if they are the same for every request. */
  fixed?: Readonly<Record<string, unknown>>;
  /** Variables inside the field's filters. */
  inFilters: ReturnType<typeof filterVariables>;
  /** Returns the part of the arguments that the SQL may depend on. */
  shape(args: Readonly<Record<string, unknown>>): string;
}

/** Returns the arguments of a field. Arguments that never vary are coerced immediately. */
export function readFieldArguments(definition: FieldArguments["definition"], node: FieldNode): FieldArguments {
  let varies = false;
  const vary = () => {
    varies = true;
  };
  // A text may be a duration, which means a different time at each request.
  visit(node, { SelectionSet: () => false, Variable: vary, StringValue: vary });
  const shape = getShapeWriter(definition);
  if (varies) return { definition, node, shape, inFilters: filterVariables({ definition, node }) };
  const fixed = getArgumentValues(definition, node);
  const always = shape(fixed);
  return { definition, node, fixed, shape: () => always, inFilters: [] };
}

/** Coerces the arguments of every field with arguments. @throws GraphQLError for a value of the wrong type. */
export const coerceArguments = (fields: readonly FieldArguments[], variables: Readonly<Record<string, unknown>>) =>
  fields.map(({ definition, node, fixed, inFilters }) => {
    const given = fixed ?? withUnsetAsNull(getArgumentValues(definition, node, variables), inFilters, variables);
    return readOwn(rootValues, definition.name)?.normalized?.(given) ?? given;
  });

/** Returns true if the schema marks an argument as unsupported by this server (`@refused`). */
export const isRefused = ({ astNode }: GraphQLArgument): boolean =>
  astNode?.directives?.some(({ name }) => name.value === "refused") ?? false;

/** Names of refused arguments, by field. */
const REFUSED = new Map<GraphQLField<unknown, unknown>, readonly string[]>();
for (const type of Object.values(schema.getTypeMap())) {
  for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
    const names = field.args.filter(isRefused).map(({ name }) => name);
    if (names.length > 0) REFUSED.set(field, names);
  }
}

/** @throws invalidInput with every argument that requests something unsupported. */
export function checkRefusedArguments({ operation, args }: ReadyOperation): void {
  const issues = operation.fieldArguments.flatMap(({ definition }, argumentIndex) =>
    issuesOf(REFUSED.get(definition), args[argumentIndex] ?? {}),
  );
  if (issues.length > 0) throw invalidInput(issues);
}

const issuesOf = (names: readonly string[] = [], given: Readonly<Record<string, unknown>>): FieldIssue[] =>
  names
    .filter((name) => (readOwn(given, name) ?? false) !== false)
    .map((path) => ({ path, message: "this server does not do that; leave it out" }));
