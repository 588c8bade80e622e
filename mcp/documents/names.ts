/** Variables of the fragment `Names`. Every document that spreads the fragment must declare the variables. */
export const NAMES_FRAGMENT_VARIABLES = `$issue: String = "", $byIssue: Boolean = false, $team: TeamFilter, $byTeam: Boolean = false, $ofTeam: Boolean = false, $user: UserFilter, $byUser: Boolean = false, $project: ProjectFilter, $byProject: Boolean = false, $labels: IssueLabelFilter, $byLabels: Boolean = false, $cycle: CycleFilter, $byCycle: Boolean = false, $milestone: ProjectMilestoneFilter, $byMilestone: Boolean = false`;

/**
 * Fragment that looks up names of every kind, in the same request that uses the names. `ofTeam` also selects all states
 * of the team.
 */
export const NAMES_FRAGMENT = `fragment Names on Query {
  namedIssue: issue(id: $issue) @include(if: $byIssue) {
    id identifier project { id }
    team { id key states(first: 100) @include(if: $ofTeam) { nodes { id name type position } } }
  }
  namedTeams: teams(filter: $team, first: 5) @include(if: $byTeam) {
    nodes { id key name states(first: 100) @include(if: $ofTeam) { nodes { id name type position } } }
  }
  namedUsers: users(filter: $user, first: 10) @include(if: $byUser) { nodes { id name displayName email } }
  namedProjects: projects(filter: $project, first: 5) @include(if: $byProject) { nodes { id name slugId } }
  namedLabels: issueLabels(filter: $labels, first: 100) @include(if: $byLabels) { nodes { id name team { id } } }
  namedCycles: cycles(filter: $cycle, first: 50) @include(if: $byCycle) { nodes { id number name team { id } } }
  namedMilestones: projectMilestones(filter: $milestone, first: 50) @include(if: $byMilestone) { nodes { id name project { id name } } }
}`;

/** Queries that look up names alone, and queries that list the choices for an unknown name. */
export const NAME_LOOKUP_DOCUMENTS = {
  resolve: `query ResolveNames(${NAMES_FRAGMENT_VARIABLES}) { ...Names }
${NAMES_FRAGMENT}`,

  teams: `query TeamChoices { choices: teams(first: 50) { nodes { key name } } }`,
  states: `query StateChoices($filter: WorkflowStateFilter) { choices: workflowStates(filter: $filter, first: 100) { nodes { name type position } } }`,
  users: `query UserChoices { choices: users(first: 50) { nodes { name email } } }`,
  projects: `query ProjectChoices { choices: projects(first: 50) { nodes { name } } }`,
  labels: `query LabelChoices($filter: IssueLabelFilter) { choices: issueLabels(filter: $filter, first: 100) { nodes { name } } }`,
  cycles: `query CycleChoices($filter: CycleFilter) { choices: cycles(filter: $filter, first: 50) { nodes { number name } } }`,
  milestones: `query MilestoneChoices($filter: ProjectMilestoneFilter) { choices: projectMilestones(filter: $filter, first: 50) { nodes { name project { name } } } }`,
} as const;
