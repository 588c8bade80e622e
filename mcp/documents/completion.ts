/** The documents of argument completion. */
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

  sessions: `query CompleteSession {
  recordedSessions(first: 100) { nodes { id } }
}`,
} as const;
