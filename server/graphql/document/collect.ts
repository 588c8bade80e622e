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
import { getOwnProperty } from "../../../formats/own.ts";
import type { Selection } from "../../read/selection.ts";
import { combinedSchema } from "../schema.ts";
import { buildConstantFieldJson, isConstant } from "./constant.ts";
import { type FieldArguments, readFieldArguments } from "./field-arguments.ts";
import { MAX_DEPTH, MAX_SELECTED } from "./limits.ts";

/** The data for resolving fragments and directives. */
interface Resolver {
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  variables: Readonly<Record<string, unknown>>;
}

/** Returns true if a fragment on the named type applies to the current value. */
type Applies = (condition: string) => boolean;

/** Returns the response keys in order, with all nodes that select each key. */
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

/** A type on which fields are selected. */
type ParentType = GraphQLObjectType | GraphQLUnionType;

/**
 * Returns the fields of a type. A union has the fields of all its member types, because the values of a union are
 * constant and the server never chooses a member type.
 */
const fieldsIn = (type: ParentType): GraphQLFieldMap<unknown, unknown> =>
  isUnionType(type) ? Object.assign({}, ...type.getTypes().map((each) => each.getFields())) : type.getFields();

/** Returns a function that tells whether a fragment applies to values of a type. */
const appliesTo = (parent: ParentType) => (condition: string) => {
  if (condition === parent.name || isUnionType(parent)) return true;
  const type = combinedSchema.getType(condition);
  return isAbstractType(type) && combinedSchema.isSubType(type, parent);
};

/** Definitions of `__schema` and `__type`, by name. */
const META = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((definition) => [definition.name, definition]));

export interface CollectedOperation {
  keys: readonly string[];
  /** Root fields except introspection. */
  roots: readonly Selection[];
  /** Fields that have arguments. */
  fieldArguments: readonly FieldArguments[];
  introspection: readonly Selection[];
}

interface Collector extends Resolver {
  fieldArguments: FieldArguments[];
  /**
   * Number of fields selected so far. The number is limited, because nested fragments could otherwise expand without
   * limit.
   */
  selected: number;
}

/** The type and the depth at which a field is selected. */
interface Position {
  parent: ParentType;
  depth: number;
  /** True inside a constant field, where every field is constant. */
  constant: boolean;
}

/**
 * Collects the fields of an operation down to the leaves, like CollectFields in the GraphQL specification. The
 * selection on an interface is collected for each implementing type. Below a union, every fragment applies, whatever
 * its type: the member types of unions are Linear's names, which have constant values.
 * @throws GraphQLError for more fields than MAX_SELECTED, or deeper nesting than MAX_DEPTH.
 */
export function collectOperation(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): CollectedOperation {
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );
  const collector: Collector = { fragments, variables, fieldArguments: [], selected: 0 };
  const parent = combinedSchema.getRootType(operation.operation) as GraphQLObjectType;
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
  const definition = getOwnProperty(fieldsIn(position.parent), field) ?? META.get(field);
  collector.selected += 1;
  if (collector.selected > MAX_SELECTED) throw new GraphQLError(`select at most ${MAX_SELECTED} fields`);
  if (!node || !definition) return { ...LEAF, key, field, constant: `"${position.parent.name}"` };
  const constant = position.constant || isConstant(definition);
  const type = getNamedType(definition.type);
  const depth = position.depth + 1;
  const children = isInterfaceType(type)
    ? combinedSchema
        .getPossibleTypes(type)
        .map((each) => variantOf(collector, nodes, { parent: each, depth, constant }))
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
        ? collector.fieldArguments.push(readFieldArguments(definition, node)) - 1
        : -1,
    children,
    ...(isInterfaceType(type) && { variants: true }),
    ...(constant && { constant: buildConstantFieldJson(definition, children) }),
  };
}

/**
 * The selection of `__typename`. Every parent type here is concrete, so the name of the type is known without the
 * database.
 */
const LEAF = { type: "String", list: false, nonNull: true, connection: false, argumentIndex: -1, children: [] };

/** Collects the selection for one of the possible types of a value. */
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
