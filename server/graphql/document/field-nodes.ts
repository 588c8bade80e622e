import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  type InlineFragmentNode,
  Kind,
  type SelectionSetNode,
} from "graphql";

/** The data that fragments and directives are resolved by. */
export interface Resolver {
  fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  variables: Readonly<Record<string, unknown>>;
}

/** True when a fragment on the type of that name selects something of the value in hand. */
export type Applies = (condition: string) => boolean;

/** Response keys in order, each with every node that selects it. */
export function fieldNodes(
  resolver: Resolver,
  sets: readonly SelectionSetNode[],
  applies: Applies,
): Map<string, FieldNode[]> {
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
