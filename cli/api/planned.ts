/** A kind of thing that work is planned by: its type, list and mutations in the API, and what is asked of it. */
interface Planned {
  type: string;
  entity: string;
  list: string;
  nodes: string;
}

const KINDS = {
  team: { type: "Team", entity: "team", list: "teams", nodes: "id key name description" },
  label: {
    type: "IssueLabel",
    entity: "issueLabel",
    list: "issueLabels",
    nodes: "id name team { key } color description",
  },
  project: {
    type: "Project",
    entity: "project",
    list: "projects",
    nodes: "id name state lead { name } startDate targetDate progress url",
  },
  cycle: {
    type: "Cycle",
    entity: "cycle",
    list: "cycles",
    nodes: "id number name team { key } startsAt endsAt isActive progress",
  },
  milestone: {
    type: "ProjectMilestone",
    entity: "projectMilestone",
    list: "projectMilestones",
    nodes: "id name project { name } targetDate",
  },
} as const satisfies Record<string, Planned>;

/** The name of such a kind on the command line. */
export type PlannedName = keyof typeof KINDS;

/** Documents of choices that they have. */
export const PLAN = {
  statuses: "query Statuses { projectStatuses(first: 100) { nodes { id name type position } } }",
} as const;

const each = (document: (kind: Planned) => string): Record<PlannedName, string> =>
  Object.fromEntries(Object.entries(KINDS).map(([name, kind]) => [name, document(kind)])) as Record<
    PlannedName,
    string
  >;

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
