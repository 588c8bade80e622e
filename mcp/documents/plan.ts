import { NAMES, NAMES_VARIABLES } from "./names.ts";

const LABEL = "name color description team { key }";
const SAVED_PROJECT = "name url status { name } startDate targetDate lead { name } teams(first: 10) { nodes { key } }";
const CYCLE = "number name startsAt endsAt isActive progress team { key }";
const MILESTONE = "name targetDate project { name }";

/** The documents of the toolset `plan`. Each kind of thing is created, or changed by its id. */
export const PLAN = {
  createLabel: `mutation CreateLabel($input: IssueLabelCreateInput!) {
  saved: issueLabelCreate(input: $input) { row: issueLabel { ${LABEL} } }
}`,

  updateLabel: `mutation UpdateLabel($id: String!, $input: IssueLabelUpdateInput!) {
  saved: issueLabelUpdate(id: $id, input: $input) { row: issueLabel { ${LABEL} } }
}`,

  createProject: `mutation CreateProject($input: ProjectCreateInput!) {
  saved: projectCreate(input: $input) { row: project { ${SAVED_PROJECT} } }
}`,

  updateProject: `mutation UpdateProject($id: String!, $input: ProjectUpdateInput!) {
  saved: projectUpdate(id: $id, input: $input) { row: project { ${SAVED_PROJECT} } }
}`,

  createCycle: `mutation CreateCycle($input: CycleCreateInput!) {
  saved: cycleCreate(input: $input) { row: cycle { ${CYCLE} } }
}`,

  updateCycle: `mutation UpdateCycle($id: String!, $input: CycleUpdateInput!) {
  saved: cycleUpdate(id: $id, input: $input) { row: cycle { ${CYCLE} } }
}`,

  createMilestone: `mutation CreateMilestone($input: ProjectMilestoneCreateInput!) {
  saved: projectMilestoneCreate(input: $input) { row: projectMilestone { ${MILESTONE} } }
}`,

  updateMilestone: `mutation UpdateMilestone($id: String!, $input: ProjectMilestoneUpdateInput!) {
  saved: projectMilestoneUpdate(id: $id, input: $input) { row: projectMilestone { ${MILESTONE} } }
}`,

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
