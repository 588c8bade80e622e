import { NAMES_FRAGMENT, NAMES_FRAGMENT_VARIABLES } from "./names.ts";

/** Two GraphQL documents: one creates an object, and the other updates an object by its id. */
export interface SaveDocuments {
  create: string;
  update: string;
}

const saving = (name: string, type: string, fields: string): SaveDocuments => {
  const entity = type.charAt(0).toLowerCase() + type.slice(1);
  return {
    create: `mutation Create${name}($input: ${type}CreateInput!) {
  saved: ${entity}Create(input: $input) { row: ${entity} { ${fields} } }
}`,
    update: `mutation Update${name}($id: String!, $input: ${type}UpdateInput!) {
  saved: ${entity}Update(id: $id, input: $input) { row: ${entity} { ${fields} } }
}`,
  };
};

const CYCLE = "number name startsAt endsAt isActive progress team { key }";

/** GraphQL documents that create and update the objects of the toolset `plan`, by kind of object. */
export const SAVE_DOCUMENTS = {
  label: saving("Label", "IssueLabel", "name color description team { key }"),
  project: saving(
    "Project",
    "Project",
    "name url status { name } startDate targetDate lead { name } teams(first: 10) { nodes { key } }",
  ),
  cycle: saving("Cycle", "Cycle", CYCLE),
  milestone: saving("Milestone", "ProjectMilestone", "name targetDate project { name }"),
} as const;

/** Other documents of the toolset `plan`. */
export const PLAN_DOCUMENTS = {
  statuses: `query ProjectStatuses { projectStatuses(first: 100) { nodes { id name type position } } }`,

  cycles: `query ListCycles($filter: CycleFilter, $first: Int, $after: String, ${NAMES_FRAGMENT_VARIABLES}) {
  cycles(filter: $filter, first: $first, after: $after) {
    edges { cursor node { ${CYCLE} } }
    pageInfo { hasNextPage }
  }
  ...Names
}
${NAMES_FRAGMENT}`,
} as const;
