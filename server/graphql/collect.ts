import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  GraphQLIncludeDirective,
  type GraphQLObjectType,
  GraphQLSkipDirective,
  getDirectiveValues,
  getNamedType,
  getNullableType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from "graphql";
import type { Selection } from "../core/selection.ts";
import { schema } from "./schema.ts";

/** A field that takes arguments, where it first stands in the document. */
export interface Slot {
  definition: GraphQLField<unknown, unknown>;
  node: FieldNode;
}

/** An operation, collected: its root fields, the fields with arguments, and the introspection it asks for. */
export interface Collected {
  roots: Selection[];
  slots: Slot[];
  introspection: FieldNode[];
}

interface Collector {
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  variables: Readonly<Record<string, unknown>>;
  slots: Slot[];
}

/** CollectFields of the specification, to the bottom. The schema has no interfaces or unions, so types always match. */
export function collect(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Collected {
  const fragments = new Map(
    document.definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])),
  );
  const collector: Collector = { fragments, variables, slots: [] };
  const type = schema.getRootType(operation.operation) as GraphQLObjectType;
  const groups = fieldsOf(collector, [operation.selectionSet]);
  const introspection = [...groups.values()]
    .flat()
    .filter(({ name }) => name.value === "__schema" || name.value === "__type");
  for (const node of introspection) groups.delete((node.alias ?? node.name).value);
  return { roots: selections(collector, type, groups), slots: collector.slots, introspection };
}

/** Response keys in order, each with every node that selects it. */
function fieldsOf(
  collector: Collector,
  sets: readonly SelectionSetNode[],
  groups = new Map<string, FieldNode[]>(),
): Map<string, FieldNode[]> {
  for (const node of sets.flatMap((set) => set.selections)) {
    if (!included(collector, node)) continue;
    if (node.kind === Kind.FIELD) {
      const key = (node.alias ?? node.name).value;
      groups.set(key, [...(groups.get(key) ?? []), node]);
      continue;
    }
    const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : collector.fragments.get(node.name.value);
    if (fragment) fieldsOf(collector, [fragment.selectionSet], groups);
  }
  return groups;
}

function included({ variables }: Collector, node: Parameters<typeof getDirectiveValues>[1]): boolean {
  if (!node.directives?.length) return true;
  if (getDirectiveValues(GraphQLSkipDirective, node, variables)?.if === true) return false;
  return getDirectiveValues(GraphQLIncludeDirective, node, variables)?.if !== false;
}

function selections(
  collector: Collector,
  parent: GraphQLObjectType,
  groups: ReadonlyMap<string, FieldNode[]>,
): Selection[] {
  const fields = parent.getFields();
  return [...groups].flatMap(([key, nodes]): Selection[] => {
    const [node] = nodes;
    if (!node) return [];
    const field = node.name.value;
    const definition = fields[field];
    if (!definition) return [{ key, field, type: "String", list: false, slot: -1, children: [] }];
    const type = getNamedType(definition.type);
    const slot = definition.args.length > 0 ? collector.slots.push({ definition, node }) - 1 : -1;
    const sets = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    const children = isObjectType(type) ? selections(collector, type, fieldsOf(collector, sets)) : [];
    return [{ key, field, type: type.name, list: isListType(getNullableType(definition.type)), slot, children }];
  });
}
