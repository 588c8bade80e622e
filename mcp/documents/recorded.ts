const fields = (args: string, result: string) => `fragment Event on RecordedEvent {
  id parentId primitiveName primitiveType kind open ${args} ${result} success failureGroupId latency timestamp orphan
  checkpoints { name offset delta share }
}`;

const TOTALS = "events failures inputTokens outputTokens cost costSource";

/**
 * Event fields with maximum lengths that are longer than any list of events shows. The maximum for the result is
 * higher, because the message in the result identifies a failure.
 */
const CLIPPED = fields("args(maxLength: 2000)", "result(maxLength: 16000)");

/** GraphQL documents of the tools for recorded sessions. */
export const SESSION_DOCUMENTS = {
  list: `query ListSessions($filter: RecordedSessionFilter, $first: Int, $after: String, $sort: [RecordedSessionSortInput!]) {
  recordedSessions(filter: $filter, first: $first, after: $after, sort: $sort) {
    edges { cursor node { id startedAt user { id } clientConfig source state waitsFor totals { ${TOTALS} } brief { agent message } } }
    pageInfo { hasNextPage }
  }
}`,

  search: `query SearchSessions($term: String!, $from: DateTimeOrDuration, $to: DateTimeOrDuration, $filter: RecordedSessionFilter, $first: Int, $after: String) {
  recordedSearch(term: $term, from: $from, to: $to, filter: $filter, first: $first, after: $after) {
    read stoppedAt endCursor nodes { eventId sessionId name success at field snippet }
  }
}`,

  get: `query GetSession($id: String!, $first: Int, $after: String) {
  recordedSession(id: $id) {
    id startedAt clientConfig source metadata state stateSince waitsFor
    user { id traits }
    totals { ${TOTALS} models }
    files(first: 20, orderBy: updatedAt) { nodes { path added removed } pageInfo { hasNextPage } }
    commits(first: 10) { nodes { id message } pageInfo { hasNextPage } }
    events(first: $first, after: $after) {
      edges { cursor node { ...Event } }
      pageInfo { hasNextPage }
    }
  }
}
${CLIPPED}`,

  event: `query GetEvent($id: String!) {
  recordedEvent(id: $id) {
    ...Event
    metadata model inputTokens outputTokens cost costSource
    session { id }
  }
}
${fields("args", "result")}`,
} as const;

/** GraphQL documents of the tools for failures. */
export const FAILURE_DOCUMENTS = {
  list: `query ListFailures($filter: RecordedFailureGroupFilter, $first: Int, $after: String) {
  recordedFailureGroups(filter: $filter, first: $first, after: $after) {
    edges { cursor node { id tool message count sessions users firstAt lastAt eventId issue { identifier state { name } } } }
    pageInfo { hasNextPage }
    incomplete
  }
}`,

  file: `mutation FileFailure($input: IssueCreateFromFailureInput!) {
  issueCreateFromFailure(input: $input) { status issue { identifier title url } }
}`,
} as const;

/** GraphQL document of the tool for usage. */
export const USAGE_DOCUMENTS = {
  get: `query RecordedUsage($groupBy: RecordedUsageGroupBy!, $from: DateTimeOrDuration, $to: DateTimeOrDuration) {
  recordedUsage(groupBy: $groupBy, from: $from, to: $to) {
    from to truncated groups { name sessions inputTokens outputTokens cost costSource missingCosts }
  }
}`,
} as const;

/** GraphQL document of the tool for the inbox. */
export const INBOX_DOCUMENTS = {
  list: `query ListInbox($first: Int, $after: String) {
  inbox(first: $first, after: $after) {
    edges { cursor node {
      id type createdAt question
      session { id source clientConfig metadata } event { id }
      issue { identifier } failureGroup { id } comment { id user { name } } holder { name }
    } }
    pageInfo { hasNextPage }
  }
}`,
} as const;
