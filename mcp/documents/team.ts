import { NAMES_FRAGMENT, NAMES_FRAGMENT_VARIABLES } from "./names.ts";

/** GraphQL documents of the tools for teams and the caller. */
export const TEAM_DOCUMENTS = {
  list: `query ListTeams($first: Int, $after: String) {
  teams(first: $first, after: $after) {
    edges { cursor node { key name description } }
    pageInfo { hasNextPage }
  }
}`,

  get: `query GetTeam($team: TeamFilter!) {
  teams(filter: $team, first: 2) {
    nodes {
      id key name description issueCount
      states(first: 50) { nodes { name type position } }
      labels(first: 50) { nodes { name } }
      members(first: 50) { nodes { name } }
      activeCycle { number name endsAt }
      projects(first: 25) { nodes { name } }
    }
  }
}`,

  viewer: `query Viewer { viewer { id name displayName email } organization { name urlKey } }`,
} as const;

/** GraphQL document of list_projects. */
export const PROJECT_DOCUMENTS = {
  list: `query ListProjects($filter: ProjectFilter, $first: Int, $after: String, ${NAMES_FRAGMENT_VARIABLES}) {
  projects(filter: $filter, first: $first, after: $after) {
    edges {
      cursor
      node { name description state progress targetDate lead { name } teams(first: 10) { nodes { key } } }
    }
    pageInfo { hasNextPage }
  }
  ...Names
}
${NAMES_FRAGMENT}`,
} as const;

/** GraphQL documents of argument completion. */
export const COMPLETION_DOCUMENTS = {
  issues: `query CompleteIssue($filter: IssueFilter) {
  issues(filter: $filter, first: 100) { nodes { identifier } }
}`,

  search: `query CompleteIssueBySearch($term: String!) {
  issues: searchIssues(term: $term, first: 20) { nodes { identifier } }
}`,

  teams: `query CompleteTeam($filter: TeamFilter) {
  teams(filter: $filter, first: 100) { nodes { key name } }
}`,

  sessions: `query CompleteSession {
  recordedSessions(first: 100) { nodes { id } }
}`,
} as const;
