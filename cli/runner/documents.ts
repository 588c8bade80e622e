/** The issue that a run works on, with what its prompt quotes. */
export interface RunIssue {
  id: string;
  identifier: string;
  title: string;
  description: string | null;
  branchName: string;
  url: string;
  comments: { nodes: { body: string; createdAt: string; user: { name: string } | null }[] };
  lease: { fence: number } | null;
}

const ISSUE = `id identifier title description branchName url lease { fence }
  comments(first: 10) { nodes { body createdAt user { name } } }`;

/** The documents of `trackway run`. */
export const RUN = {
  ready: `query RunReady($filter: IssueFilter) {
  issues(filter: $filter, sort: [{ ready: { order: Ascending } }], first: 10) { nodes { ${ISSUE} } }
}`,
  claim: `mutation RunClaim($input: IssueClaimInput!) { issueClaim(input: $input) { issue { ${ISSUE} } } }`,
  renew: `mutation RunRenew($id: String!, $fence: Int, $sessionId: String) {
  issueRenew(id: $id, fence: $fence, sessionId: $sessionId) { lease { fence } }
}`,
  state: `query RunState($id: String!) {
  issue(id: $id) { state { type } lease { fence trippedBy } }
}`,
  cost: `query RunCost($filter: RecordedSessionFilter) {
  recordedSessions(first: 1, filter: $filter) { nodes { totals { cost } } }
}`,
  complete: `mutation RunComplete($id: String!, $fence: Int, $comment: String) {
  issueComplete(id: $id, fence: $fence, comment: $comment) { issue { identifier } }
}`,
  release: `mutation RunRelease($id: String!, $comment: String) {
  issueRelease(id: $id, comment: $comment) { issue { identifier } }
}`,
} as const;

/** The answer to the document `state`. */
export interface RunState {
  issue: {
    state: { type: string };
    lease: { fence: number; trippedBy: string | null } | null;
  };
}

/** The answer to the document `cost`. */
export interface RunCost {
  recordedSessions: { nodes: { totals: { cost: number | null } }[] };
}
