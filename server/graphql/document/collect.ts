import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLField,
  type GraphQLFieldMap,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  GraphQLSkipDirective,
  type GraphQLUnionType,
  getArgumentValues,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  visit,
} from "graphql";
import type { Selection } from "../../read/selection.ts";
import { shaperOf } from "../plan/plan-key.ts";
import { schema } from "../schema.ts";
import { constantOf, isConstant } from "./constant.ts";
import { MAX_DEPTH, MAX_SELECTED } from "./limits.ts";

/** The definitions of `__schema` and `__type`, by name. */
const META = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((definition) => [definition.name, definition]));

/** A field that takes arguments, where it first stands in the document. */
export interface FieldArguments {
  definition: GraphQLField<unknown, unknown>;
  node: FieldNode;
  /** Its coerced arguments, where they are the same each time. */
  fixed?: Readonly<Record<string, unknown>>;
  /** What of its arguments the SQL may depend on. */
  shape(args: Readonly<Record<string, unknown>>): string;
}

/** An operation, collected. */
export interface Collected {
  /** Response keys of the root fields, in order. */
  keys: readonly string[];
  /** Root fields but for introspection. */
  roots: readonly Selection[];
  /** The fields that take arguments. */
  fieldArguments: readonly FieldArguments[];
  introspection: readonly Selection[];
}

interface Collector {
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  variables: Readonly<Record<string, unknown>>;
  fieldArguments: FieldArguments[];
  /** Fields selected so far; fragments in fragments can make it grow without end. */
  selected: number;
}

/** The type that a field is selected on, and how deep. */
interface Position {
  parent: GraphQLObjectType | GraphQLUnionType;
  depth: number;
  /** Inside of a field that is the same for everybody, everything is. */
  constant: boolean;
}

/**
 * CollectFields of the specification, down to the leaves. Fragments are taken without comparing types: there are no
 * interfaces, and the members of unions are Linear's names, which are constant whatever type is meant.
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
  const groups = fieldsOf(collector, [operation.selectionSet]);
  const position = { parent, depth: 1, constant: false };
  const fields = [...groups].map(([key, nodes]) => selectionOf(collector, key, nodes, position));
  return {
    keys: [...groups.keys()],
    roots: fields.filter(({ field }) => !META.has(field)),
    fieldArguments: collector.fieldArguments,
    introspection: fields.filter(({ field }) => META.has(field)),
  };
}

/** Response keys in order, each with every node that selects it. */
function fieldsOf(collector: Collector, sets: readonly SelectionSetNode[]): Map<string, FieldNode[]> {
  const groups = new Map<string, FieldNode[]>();
  const visited = new Set<string>();
  const visit = (set: SelectionSetNode) => {
    for (const node of set.selections) {
      if (!included(collector, node)) continue;
      if (node.kind === Kind.FIELD) {
        const key = (node.alias ?? node.name).value;
        const group = groups.get(key);
        if (group) group.push(node);
        else groups.set(key, [node]);
      } else if (node.kind === Kind.INLINE_FRAGMENT) visit(node.selectionSet);
      else if (!visited.has(node.name.value)) {
        visited.add(node.name.value);
        const fragment = collector.fragments.get(node.name.value);
        if (fragment) visit(fragment.selectionSet);
      }
    }
  };
  for (const set of sets) visit(set);
  return groups;
}

function included({ variables }: Collector, node: Parameters<typeof getDirectiveValues>[1]): boolean {
  if (!node.directives?.length) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}

function selectionOf(collector: Collector, key: string, nodes: readonly FieldNode[], position: Position): Selection {
  const [node] = nodes;
  const field = node?.name.value ?? "";
  const definition = fieldsIn(position.parent)[field] ?? META.get(field);
  collector.selected += 1;
  if (collector.selected > MAX_SELECTED) throw new GraphQLError(`select at most ${MAX_SELECTED} fields`);
  if (!node || !definition) return { ...LEAF, key, field, constant: `"${position.parent.name}"` };
  const constant = position.constant || isConstant(definition);
  const type = getNamedType(definition.type);
  const children =
    isObjectType(type) || isUnionType(type)
      ? childrenOf(collector, nodes, { parent: type, depth: position.depth + 1, constant })
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
    ...(constant && { constant: constantOf(definition, children) }),
  };
}

function argumentsOfField(definition: FieldArguments["definition"], node: FieldNode): FieldArguments {
  let varies = false;
  const vary = () => {
    varies = true;
  };
  // A text may be a duration, which means another moment each time.
  visit(node, { SelectionSet: () => false, Variable: vary, StringValue: vary });
  const shape = shaperOf(definition);
  if (varies) return { definition, node, shape };
  const fixed = getArgumentValues(definition, node);
  const always = shape(fixed);
  return { definition, node, fixed, shape: () => always };
}

/** A union has the fields of all its members: its values are constant, so that none of them is ever chosen. */
const fieldsIn = (type: Position["parent"]): GraphQLFieldMap<unknown, unknown> =>
  isUnionType(type) ? Object.assign({}, ...type.getTypes().map((each) => each.getFields())) : type.getFields();

/** `__typename`: every type is concrete, so its name is known here. */
const LEAF = { type: "String", list: false, nonNull: true, connection: false, argumentIndex: -1, children: [] };

function childrenOf(collector: Collector, nodes: readonly FieldNode[], position: Position): Selection[] {
  const introspected = position.parent.name.startsWith("__");
  if (position.depth > MAX_DEPTH && !introspected)
    throw new GraphQLError(`nest fields at most ${MAX_DEPTH} levels deep`);
  const groups = fieldsOf(
    collector,
    nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
  );
  return [...groups].map(([key, each]) => selectionOf(collector, key, each, position));
}
