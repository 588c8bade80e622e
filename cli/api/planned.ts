import { NAMED_KINDS } from "./named.ts";

/** Kinds of entities for planning, with the requested fields of each kind. */
const NODES = {
  team: "id key name description",
  label: "id name team { key } color description",
  project: "id name state lead { name } startDate targetDate progress url",
  cycle: "id number name team { key } startsAt endsAt isActive progress",
  milestone: "id name project { name } targetDate",
} as const satisfies Partial<Record<keyof typeof NAMED_KINDS, string>>;

/** Type, list, mutations and fields of a kind in the API. */
interface Planned {
  type: string;
  entity: string;
  list: string;
  nodes: string;
}

/** Name of a kind for planning on the command line. */
export type PlanKindName = keyof typeof NODES;

/** GraphQL documents for the values that users choose from. */
export const STATUS_DOCUMENTS = {
  statuses: "query Statuses { projectStatuses(first: 100) { nodes { id name type position } } }",
} as const;

const each = (document: (kind: Planned) => string): Record<PlanKindName, string> => {
  const documents = (Object.keys(NODES) as PlanKindName[]).map((name) => {
    const nodes = NODES[name];
    const { type, list } = NAMED_KINDS[name];
    return [name, document({ type, list, nodes, entity: type.charAt(0).toLowerCase() + type.slice(1) })];
  });
  return Object.fromEntries(documents) as Record<PlanKindName, string>;
};

/** GraphQL documents that list the entities of a kind, page by page. */
export const LIST_DOCUMENTS = each(
  ({ type, list, nodes }) => `query List($filter: ${type}Filter, $first: Int, $after: String) {
  page: ${list}(filter: $filter, first: $first, after: $after) { nodes { ${nodes} } pageInfo { hasNextPage endCursor } }
}`,
);

/** GraphQL documents that create an entity of a kind. */
export const CREATE_DOCUMENTS = each(
  ({ type, entity, nodes }) => `mutation Create($input: ${type}CreateInput!) {
  done: ${entity}Create(input: $input) { node: ${entity} { ${nodes} } }
}`,
);

/** GraphQL documents that change an entity of a kind. */
export const EDIT_DOCUMENTS = each(
  ({ type, entity, nodes }) => `mutation Edit($id: String!, $input: ${type}UpdateInput!) {
  done: ${entity}Update(id: $id, input: $input) { node: ${entity} { ${nodes} } }
}`,
);
