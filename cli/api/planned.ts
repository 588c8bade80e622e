import { NAMED_ENTITY_KINDS } from "./named.ts";

/** The GraphQL fields that are requested for each kind of planning entity. */
const NODES = {
  team: "id key name description",
  label: "id name team { key } color description",
  project: "id name state lead { name } startDate targetDate progress url",
  cycle: "id number name team { key } startsAt endsAt isActive progress",
  milestone: "id name project { name } targetDate",
} as const satisfies Partial<Record<keyof typeof NAMED_ENTITY_KINDS, string>>;

/** GraphQL names for one kind of planning entity: the type, the entity, the list, and the fields to request. */
interface Planned {
  type: string;
  entity: string;
  list: string;
  nodes: string;
}

/** Name of a kind of planning entity, as users type it on the command line. */
export type PlanEntityKind = keyof typeof NODES;

/** GraphQL documents that list the values among which users choose, such as project statuses. */
export const STATUS_DOCUMENTS = {
  statuses: "query Statuses { projectStatuses(first: 100) { nodes { id name type position } } }",
} as const;

const each = (document: (kind: Planned) => string): Record<PlanEntityKind, string> => {
  const documents = (Object.keys(NODES) as PlanEntityKind[]).map((name) => {
    const nodes = NODES[name];
    const { type, list } = NAMED_ENTITY_KINDS[name];
    return [name, document({ type, list, nodes, entity: type.charAt(0).toLowerCase() + type.slice(1) })];
  });
  return Object.fromEntries(documents) as Record<PlanEntityKind, string>;
};

/** GraphQL documents that list the entities of a kind, page by page. */
export const PLAN_LIST_DOCUMENTS = each(
  ({ type, list, nodes }) => `query List($filter: ${type}Filter, $first: Int, $after: String) {
  page: ${list}(filter: $filter, first: $first, after: $after) { nodes { ${nodes} } pageInfo { hasNextPage endCursor } }
}`,
);

/** GraphQL documents that create an entity of a kind. */
export const PLAN_CREATE_DOCUMENTS = each(
  ({ type, entity, nodes }) => `mutation Create($input: ${type}CreateInput!) {
  done: ${entity}Create(input: $input) { node: ${entity} { ${nodes} } }
}`,
);

/** GraphQL documents that change an entity of a kind. */
export const PLAN_UPDATE_DOCUMENTS = each(
  ({ type, entity, nodes }) => `mutation Edit($id: String!, $input: ${type}UpdateInput!) {
  done: ${entity}Update(id: $id, input: $input) { node: ${entity} { ${nodes} } }
}`,
);
