import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
  isObjectType,
  Kind,
  type ValueNode,
} from "graphql";
import { getOwnProperty } from "../../../formats/own.ts";
import { combinedSchema } from "../schema.ts";
import type { FieldArguments } from "./field-arguments.ts";

/** Input types that occur in list filters. */
const FILTERS = new Set<GraphQLInputType>();
for (const type of Object.values(combinedSchema.getTypeMap())) {
  for (const { args } of isObjectType(type) ? Object.values(type.getFields()) : []) {
    for (const each of args) if (each.name === "filter") addFilter(getNamedType(each.type));
  }
}

function addFilter(type: GraphQLInputType): void {
  if (!isInputObjectType(type) || FILTERS.has(type)) return;
  FILTERS.add(type);
  for (const each of Object.values(type.getFields())) addFilter(getNamedType(each.type));
}

const isFilterType = (type: GraphQLInputType): boolean => FILTERS.has(getNamedType(type));

/** A variable inside a filter, and its path in the field's arguments. */
interface FilterVariable {
  path: readonly string[];
  variable: string;
}

/** Returns the variables inside filters that the document contains as literals, such as `{team: {key: {eq: $key}}}`. */
export const findFilterVariables = ({
  definition,
  node,
}: Pick<FieldArguments, "definition" | "node">): FilterVariable[] =>
  (node.arguments ?? []).flatMap(({ name, value }) => {
    const argument = definition.args.find((each) => each.name === name.value);
    return argument ? variablesIn(value, argument.type, [name.value]) : [];
  });

function variablesIn(value: ValueNode, type: GraphQLInputType, path: readonly string[]): FilterVariable[] {
  const bare = getNullableType(type);
  if (isListType(bare)) {
    // GraphQL accepts a single value in place of a list.
    const values = value.kind === Kind.LIST ? value.values : [value];
    return values.flatMap((each, at) => variablesIn(each, bare.ofType, [...path, String(at)]));
  }
  if (value.kind !== Kind.OBJECT || !isInputObjectType(bare)) return [];
  return value.fields.flatMap(({ name, value: each }) => {
    const at = [...path, name.value];
    if (each.kind === Kind.VARIABLE) return isFilterType(bare) ? [{ path: at, variable: each.name.value }] : [];
    const field = getOwnProperty(bare.getFields(), name.value);
    return field ? variablesIn(each, field.type, at) : [];
  });
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Sets null where a filter uses a variable that has no value. Without the null, GraphQL would omit the input field, and
 * the filter would lose the condition. Filters reject the inserted null, like every other null.
 */
export function setUnsetFilterVariablesToNull(
  args: Values,
  inFilters: readonly FilterVariable[],
  variables: Values,
): Values {
  for (const { path, variable } of inFilters) {
    if (getOwnProperty(variables, variable) !== undefined) continue;
    const holder = path.slice(0, -1).reduce((part: unknown, name) => Reflect.get(Object(part), name), args);
    Reflect.set(Object(holder), path.at(-1) ?? "", null);
  }
  return args;
}
