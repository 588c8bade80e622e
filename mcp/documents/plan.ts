import { NAMES, NAMES_VARIABLES } from "./names.ts";

/** The documents that create a kind of thing, and change one by its id. */
export interface Saving {
  create: string;
  update: string;
}

const saving = (name: string, type: string, fields: string): Saving => {
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

/** The documents of each kind of thing that the toolset `plan` saves. */
export const SAVE = {
  label: saving("Label", "IssueLabel", "name color description team { key }"),
  project: saving(
    "Project",
    "Project",
    "name url status { name } startDate targetDate lead { name } teams(first: 10) { nodes { key } }",
  ),
  cycle: saving("Cycle", "Cycle", CYCLE),
  milestone: saving("Milestone", "ProjectMilestone", "name targetDate project { name }"),
} as const;

/** The other documents of that toolset. */
export const PLAN = {
  statuses: `query ProjectStatuses { projectStatuses(first: 100) { nodes { id name type position } } }`,

  cycles: `query ListCycles($filter: CycleFilter, $first: Int, $after: String, ${NAMES_VARIABLES}) {
  cycles(filter: $filter, first: $first, after: $after) {
    edges { cursor node { ${CYCLE} } }
    pageInfo { hasNextPage }
  }
  ...Names
}
${NAMES}`,
} as const;
