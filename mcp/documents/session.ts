const EVENT = `fragment Event on RecordedEvent {
  id parentId primitiveName primitiveType args result success latency timestamp orphan
  checkpoints { name offset delta share }
}`;

/** What the tools about recorded conversations send. */
export const SESSION = {
  list: `query ListSessions($filter: RecordedSessionFilter, $first: Int, $after: String) {
  recordedSessions(filter: $filter, first: $first, after: $after) {
    edges { cursor node { id startedAt user { id } clientConfig totals { events failures } } }
    pageInfo { hasNextPage }
  }
}`,

  get: `query GetSession($id: String!, $first: Int, $after: String) {
  recordedSession(id: $id) {
    id startedAt clientConfig metadata
    user { id traits }
    totals { events failures }
    events(first: $first, after: $after) {
      edges { cursor node { ...Event } }
      pageInfo { hasNextPage }
    }
  }
}
${EVENT}`,

  event: `query GetEvent($id: String!) {
  recordedEvent(id: $id) {
    ...Event
    metadata
    session { id }
  }
}
${EVENT}`,
} as const;
