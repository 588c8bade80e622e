import { KINDS } from "./named.ts";

/** The kinds of things that work is planned by, and what is asked of each. */
const NODES = {
  team: "id key name description",
  label: "id name team { key } color description",
  project: "id name state lead { name } startDate targetDate progress url",
  cycle: "id number name team { key } startsAt endsAt isActive progress",
  milestone: "id name project { name } targetDate",
} as const satisfies Partial<Record<keyof typeof KINDS, string>>;

/** One of them: its type, list and mutations in the API. */
interface Planned {
  type: string;
  entity: string;
  list: string;
  nodes: string;
}

/** The name of such a kind on the command line. */
export type PlannedName = keyof typeof NODES;

/** Documents of choices that they have. */
export const PLAN = {
  statuses: "query Statuses { projectStatuses(first: 100) { nodes { id name type position } } }",
} as const;

const each = (document: (kind: Planned) => string): Record<PlannedName, string> => {
  const documents = (Object.keys(NODES) as PlannedName[]).map((name) => {
    const nodes = NODES[name];
    const { type, list } = KINDS[name];
    return [name, document({ type, list, nodes, entity: type.charAt(0).toLowerCase() + type.slice(1) })];
  });
  return Object.fromEntries(documents) as Record<PlannedName, string>;
};

/** The documents that list each kind, a page at a time. */
export const LIST = each(
  ({ type, list, nodes }) => `query List($filter: ${type}Filter, $first: Int, $after: String) {
  page: ${list}(filter: $filter, first: $first, after: $after) { nodes { ${nodes} } pageInfo { hasNextPage endCursor } }
}`,
);

/** Those that make one. */
export const CREATE = each(
  ({ type, entity, nodes }) => `mutation Create($input: ${type}CreateInput!) {
  done: ${entity}Create(input: $input) { node: ${entity} { ${nodes} } }
}`,
);

/** Those that change one. */
export const EDIT = each(
  ({ type, entity, nodes }) => `mutation Edit($id: String!, $input: ${type}UpdateInput!) {
  done: ${entity}Update(id: $id, input: $input) { node: ${entity} { ${nodes} } }
}`,
);
