import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLFieldMap,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  GraphQLSkipDirective,
  type GraphQLUnionType,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  type InlineFragmentNode,
  isAbstractType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from "graphql";
import { readOwn } from "../../../formats/own.ts";
import type { Selection } from "../../read/selection.ts";
import { schema } from "../schema.ts";
import { constantOf, isConstant } from "./constant.ts";
import { argumentsOfField, type FieldArguments } from "./field-arguments.ts";
import { MAX_DEPTH, MAX_SELECTED } from "./limits.ts";

/** The data that fragments and directives are resolved by. */
interface Resolver {
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  variables: Readonly<Record<string, unknown>>;
}

/** True when a fragment on the type of that name selects something of the value in hand. */
type Applies = (condition: string) => boolean;

/** Response keys in order, each with every node that selects it. */
function fieldNodes(resolver: Resolver, sets: readonly SelectionSetNode[], applies: Applies): Map<string, FieldNode[]> {
  const groups = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const visit = (set: SelectionSetNode) => {
    for (const node of set.selections) {
      if (!included(resolver, node)) continue;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const group = groups.get(key);
        if (group) group.push(node);
        else groups.set(key, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) spread(node);
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value);
        const fragment = resolver.fragments.get(node.name.value);
        if (fragment) spread(fragment);
      }
    }
  };
  const spread = ({ typeCondition, selectionSet }: InlineFragmentNode | FragmentDefinitionNode) => {
    if (!typeCondition || applies(typeCondition.name.value)) visit(selectionSet);
  };
  for (const set of sets) visit(set);
  return groups;
}

function included({ variables }: Resolver, node: Parameters<typeof getDirectiveValues>[1]): boolean {
  if (!node.directives?.length) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}

/** A type that fields are selected on. */
type ParentType = GraphQLObjectType | GraphQLUnionType;

/** A union has the fields of all its members: its values are constant, so that none of them is ever chosen. */
const fieldsIn = (type: ParentType): GraphQLFieldMap<unknown, unknown> =>
  isUnionType(type) ? Object.assign({}, ...type.getTypes().map((each) => each.getFields())) : type.getFields();

/** True when a fragment applies to values of a type. */
const appliesTo = (parent: ParentType) => (condition: string) => {
  if (condition === parent.name || isUnionType(parent)) return true;
  const type = schema.getType(condition);
  return isAbstractType(type) && schema.isSubType(type, parent);
};

/** The definitions of `__schema` and `__type`, by name. */
const META = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((definition) => [definition.name, definition]));

/** An operation, collected. */
export interface Collected {
  /** Response keys of the root fields, in order. */
  keys: readonly string[];
  /** Root fields without introspection. */
  roots: readonly Selection[];
  /** The fields that take arguments. */
  fieldArguments: readonly FieldArguments[];
  introspection: readonly Selection[];
}

interface Collector extends Resolver {
  fieldArguments: FieldArguments[];
  /** Fields selected so far; fragments in fragments can make it grow without end. */
  selected: number;
}

/** The type that a field is selected on, and how deep. */
interface Position {
  parent: ParentType;
  depth: number;
  /** Inside of a field that is the same for everybody, everything is. */
  constant: boolean;
}

/**
 * CollectFields of the specification, down to the leaves. What is selected of an interface is collected for each type
 * that has it. Below a union fragments are taken without comparing types: its members are Linear's names, which are
 * constant whatever type is meant.
 * @throws GraphQLError when more fields are selected than MAX_SELECTED, or deeper than MAX_DEPTH.
 */
export function collect(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Collected {
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );
  const collector: Collector = { fragments, variables, fieldArguments: [], selected: 0 };
  const parent = schema.getRootType(operation.operation) as GraphQLObjectType;
  const groups = fieldNodes(collector, [operation.selectionSet], appliesTo(parent));
  const position = { parent, depth: 1, constant: false };
  const fields = [...groups].map(([key, nodes]) => selectionOf(collector, key, nodes, position));
  return {
    keys: [...groups.keys()],
    roots: fields.filter(({ field }) => !META.has(field)),
    fieldArguments: collector.fieldArguments,
    introspection: fields.filter(({ field }) => META.has(field)),
  };
}

function selectionOf(collector: Collector, key: string, nodes: readonly FieldNode[], position: Position): Selection {
  const [node] = nodes;
  const field = node?.name.value ?? "";
  const definition = readOwn(fieldsIn(position.parent), field) ?? META.get(field);
  collector.selected += 1;
  if (collector.selected > MAX_SELECTED) throw new GraphQLError(`select at most ${MAX_SELECTED} fields`);
  if (!node || !definition) return { ...LEAF, key, field, constant: `"${position.parent.name}"` };
  const constant = position.constant || isConstant(definition);
  const type = getNamedType(definition.type);
  const depth = position.depth + 1;
  const children = isInterfaceType(type)
    ? schema.getPossibleTypes(type).map((each) => variantOf(collector, nodes, { parent: each, depth, constant }))
    : isObjectType(type) || isUnionType(type)
      ? childrenOf(collector, nodes, { parent: type, depth, constant })
      : [];
  return {
    key,
    field,
    type: type.name,
    list: isListType(getNullableType(definition.type)),
    nonNull: isNonNullType(definition.type),
    connection: isObjectType(type) && "pageInfo" in type.getFields(),
    argumentIndex:
      definition.args.length > 0 && !constant
        ? collector.fieldArguments.push(argumentsOfField(definition, node)) - 1
        : -1,
    children,
    ...(isInterfaceType(type) && { variants: true }),
    ...(constant && { constant: constantOf(definition, children) }),
  };
}

/** `__typename`: every type is concrete, so its name is known here. */
const LEAF = { type: "String", list: false, nonNull: true, connection: false, argumentIndex: -1, children: [] };

/** Collects the selection on one of the types that a value may have. */
const variantOf = (collector: Collector, nodes: readonly FieldNode[], position: Position): Selection => {
  const { name } = position.parent;
  return { ...LEAF, key: name, field: name, type: name, children: childrenOf(collector, nodes, position) };
};

function childrenOf(collector: Collector, nodes: readonly FieldNode[], position: Position): Selection[] {
  const introspected = position.parent.name.startsWith("__");
  if (position.depth > MAX_DEPTH && !introspected)
    throw new GraphQLError(`nest fields at most ${MAX_DEPTH} levels deep`);
  const groups = fieldNodes(
    collector,
    nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    appliesTo(position.parent),
  );
  return [...groups].map(([key, each]) => selectionOf(collector, key, each, position));
}
