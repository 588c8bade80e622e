/** The variables of the fragment `Names`, to be named in the head of every document that spreads it. */
export const NAMES_VARIABLES = `$issue: String = "", $byIssue: Boolean = false, $team: TeamFilter, $byTeam: Boolean = false, $ofTeam: Boolean = false, $user: UserFilter, $byUser: Boolean = false, $project: ProjectFilter, $byProject: Boolean = false, $labels: IssueLabelFilter, $byLabels: Boolean = false, $cycle: CycleFilter, $byCycle: Boolean = false, $milestone: ProjectMilestoneFilter, $byMilestone: Boolean = false`;

/** Everything a call can name, looked up in the request that needs it. `ofTeam` asks for all states of the team. */
export const NAMES = `fragment Names on Query {
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

/** Looking names up by themselves, and what there is to choose from when one is unknown. */
export const NAME = {
  resolve: `query ResolveNames(${NAMES_VARIABLES}) { ...Names }
${NAMES}`,

  teams: `query TeamChoices { choices: teams(first: 50) { nodes { key name } } }`,
  states: `query StateChoices($filter: WorkflowStateFilter) { choices: workflowStates(filter: $filter, first: 100) { nodes { name type position } } }`,
  users: `query UserChoices { choices: users(first: 50) { nodes { name email } } }`,
  projects: `query ProjectChoices { choices: projects(first: 50) { nodes { name } } }`,
  labels: `query LabelChoices($filter: IssueLabelFilter) { choices: issueLabels(filter: $filter, first: 100) { nodes { name } } }`,
  cycles: `query CycleChoices($filter: CycleFilter) { choices: cycles(filter: $filter, first: 50) { nodes { number name } } }`,
  milestones: `query MilestoneChoices($filter: ProjectMilestoneFilter) { choices: projectMilestones(filter: $filter, first: 50) { nodes { name project { name } } } }`,
} as const;
