import { executeSync, Kind, type OperationDefinitionNode, OperationTypeNode } from "graphql";
import type { Ready } from "./request.ts";
import { schema } from "./schema.ts";

/** JSON text of each introspection field of a query by response key: the one part that graphql-js executes. */
export function introspect({ prepared, operation, node, variables }: Ready): [key: string, text: string][] {
  if (operation.introspection.length === 0) return [];
  const only: OperationDefinitionNode = {
    kind: Kind.OPERATION_DEFINITION,
    operation: OperationTypeNode.QUERY,
    selectionSet: { kind: Kind.SELECTION_SET, selections: operation.introspection.flatMap(({ nodes }) => nodes) },
    ...(node.variableDefinitions && { variableDefinitions: node.variableDefinitions }),
  };
  const fragments = prepared.document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const document = { kind: Kind.DOCUMENT, definitions: [only, ...fragments] } as const;
  const { data, errors } = executeSync({ schema, document, variableValues: variables });
  if (errors?.[0]) throw errors[0];
  return Object.entries(data ?? {}).map(([key, value]) => [key, JSON.stringify(value)]);
}
