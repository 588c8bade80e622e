/** The documents of the tools about teams, projects and the caller. */
export const TEAM = {
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
