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
import { shaperOf } from "../plan/plan-key.ts";
import type { Ready } from "../request.ts";
import { schema } from "../schema.ts";
import { filterVariables, withUnsetAsNull } from "./filter-variables.ts";

/** A field that takes arguments, at its first place in the document. */
export interface FieldArguments {
  definition: GraphQLField<unknown, unknown>;
  node: FieldNode;
  /** Its coerced arguments, where they are the same each time. */
  fixed?: Readonly<Record<string, unknown>>;
  /** The variables inside its filters. */
  inFilters: ReturnType<typeof filterVariables>;
  /** The part of its arguments that the SQL may depend on. */
  shape(args: Readonly<Record<string, unknown>>): string;
}

/** The arguments of a field. They are coerced here and now when they hold nothing that varies. */
export function argumentsOfField(definition: FieldArguments["definition"], node: FieldNode): FieldArguments {
  let varies = false;
  const vary = () => {
    varies = true;
  };
  // A text may be a duration, which means another moment each time.
  visit(node, { SelectionSet: () => false, Variable: vary, StringValue: vary });
  const shape = shaperOf(definition);
  if (varies) return { definition, node, shape, inFilters: filterVariables({ definition, node }) };
  const fixed = getArgumentValues(definition, node);
  const always = shape(fixed);
  return { definition, node, fixed, shape: () => always, inFilters: [] };
}

/** Coerces the arguments of every field that takes any. @throws GraphQLError for a value of the wrong type. */
export const argumentsOf = (fields: readonly FieldArguments[], variables: Readonly<Record<string, unknown>>) =>
  fields.map(({ definition, node, fixed, inFilters }) => {
    const given = fixed ?? withUnsetAsNull(getArgumentValues(definition, node, variables), inFilters, variables);
    return readOwn(rootValues, definition.name)?.normalized?.(given) ?? given;
  });

/** True for an argument that the schema marks as one that this server does not act on (`@refused`). */
export const isRefused = ({ astNode }: GraphQLArgument): boolean =>
  astNode?.directives?.some(({ name }) => name.value === "refused") ?? false;

/** The names of refused arguments, by the fields that have any. */
const REFUSED = new Map<GraphQLField<unknown, unknown>, readonly string[]>();
for (const type of Object.values(schema.getTypeMap())) {
  for (const field of isObjectType(type) ? Object.values(type.getFields()) : []) {
    const names = field.args.filter(isRefused).map(({ name }) => name);
    if (names.length > 0) REFUSED.set(field, names);
  }
}

/** @throws invalidInput naming every argument that asks for something which would not be done. */
export function checkRefusedArguments({ operation, args }: Ready): void {
  const issues = operation.fieldArguments.flatMap(({ definition }, argumentIndex) =>
    issuesOf(REFUSED.get(definition), args[argumentIndex] ?? {}),
  );
  if (issues.length > 0) throw invalidInput(issues);
}

const issuesOf = (names: readonly string[] = [], given: Readonly<Record<string, unknown>>): FieldIssue[] =>
  names
    .filter((name) => (readOwn(given, name) ?? false) !== false)
    .map((path) => ({ path, message: "this server does not do that; leave it out" }));
