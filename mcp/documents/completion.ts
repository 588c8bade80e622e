/** What argument completion sends. */
export const COMPLETION = {
  issues: `query CompleteIssue($filter: IssueFilter) {
  issues(filter: $filter, first: 100) { nodes { identifier } }
}`,

  search: `query CompleteIssueBySearch($term: String!) {
  issues: searchIssues(term: $term, first: 20) { nodes { identifier } }
}`,

  teams: `query CompleteTeam($filter: TeamFilter) {
  teams(filter: $filter, first: 100) { nodes { key name } }
}`,
} as const;
