/** What the tools about failures send. */
export const FAILURE = {
  list: `query ListFailures($filter: RecordedFailureGroupFilter, $first: Int, $after: String) {
  recordedFailureGroups(filter: $filter, first: $first, after: $after) {
    edges { cursor node { id tool message count sessions users firstAt lastAt eventId issue { identifier state { name } } } }
    pageInfo { hasNextPage }
  }
}`,

  file: `mutation FileFailure($input: IssueCreateFromFailureInput!) {
  issueCreateFromFailure(input: $input) { status issue { identifier title url } }
}`,
} as const;
