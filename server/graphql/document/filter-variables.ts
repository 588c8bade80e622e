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
import { readOwn } from "../../../formats/own.ts";
import { schema } from "../schema.ts";
import type { FieldArguments } from "./field-arguments.ts";

/** The input types that filters of lists are made of. */
const FILTERS = new Set<GraphQLInputType>();
for (const type of Object.values(schema.getTypeMap())) {
  for (const { args } of isObjectType(type) ? Object.values(type.getFields()) : []) {
    for (const each of args) if (each.name === "filter") addFilter(getNamedType(each.type));
  }
}

function addFilter(type: GraphQLInputType): void {
  if (!isInputObjectType(type) || FILTERS.has(type)) return;
  FILTERS.add(type);
  for (const each of Object.values(type.getFields())) addFilter(getNamedType(each.type));
}

/** True for an input type that filters of lists are made of. */
const isFilterType = (type: GraphQLInputType): boolean => FILTERS.has(getNamedType(type));

/** A variable that stands for a part of a filter, and its place in the field's arguments. */
interface FilterVariable {
  path: readonly string[];
  variable: string;
}

/** The variables inside the filters that a document writes out: `{team: {key: {eq: $key}}}`. */
export const filterVariables = ({ definition, node }: Pick<FieldArguments, "definition" | "node">): FilterVariable[] =>
  (node.arguments ?? []).flatMap(({ name, value }) => {
    const argument = definition.args.find((each) => each.name === name.value);
    return argument ? variablesIn(value, argument.type, [name.value]) : [];
  });

function variablesIn(value: ValueNode, type: GraphQLInputType, path: readonly string[]): FilterVariable[] {
  const bare = getNullableType(type);
  if (isListType(bare)) {
    // A value in the place of a list is the list of that value.
    const values = value.kind === Kind.LIST ? value.values : [value];
    return values.flatMap((each, at) => variablesIn(each, bare.ofType, [...path, String(at)]));
  }
  if (value.kind !== Kind.OBJECT || !isInputObjectType(bare)) return [];
  return value.fields.flatMap(({ name, value: each }) => {
    const at = [...path, name.value];
    if (each.kind === Kind.VARIABLE) return isFilterType(bare) ? [{ path: at, variable: each.name.value }] : [];
    const field = readOwn(bare.getFields(), name.value);
    return field ? variablesIn(each, field.type, at) : [];
  });
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Puts null where a filter names a variable without a value. GraphQL leaves such a member out, and the filter would lose
 * the condition. A null is rejected, as any other in a filter is.
 */
export function withUnsetAsNull(args: Values, inFilters: readonly FilterVariable[], variables: Values): Values {
  for (const { path, variable } of inFilters) {
    if (readOwn(variables, variable) !== undefined) continue;
    const holder = path.slice(0, -1).reduce((part: unknown, name) => Reflect.get(Object(part), name), args);
    Reflect.set(Object(holder), path.at(-1) ?? "", null);
  }
  return args;
}
