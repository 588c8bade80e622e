/** The issue that a run works on, with what its prompt quotes. */
export interface RunIssue {
  id: string;
  identifier: string;
  title: string;
  description: string | null;
  branchName: string;
  url: string;
  comments: { nodes: { body: string; createdAt: string; user: { name: string } | null }[] };
  /** The record of earlier attempts. */
  handover: string | null;
  team: { proof: { commands: string[]; commit: boolean; push: boolean } | null };
  lease: { fence: number } | null;
}

const ISSUE = `id identifier title description branchName url handover team { proof } lease { fence }
  comments(first: 10) { nodes { body createdAt user { name } } }`;

/** The documents of `trackway run`. */
export const RUN = {
  ready: `query RunReady($filter: IssueFilter) {
  readyIssues(filter: $filter, first: 10) { nodes { ${ISSUE} } }
}`,
  claim: `mutation RunClaim($input: IssueClaimInput!) { issueClaim(input: $input) { issue { ${ISSUE} } } }`,
  renew: `mutation RunRenew($id: String!, $fence: Int, $sessionId: String) {
  issueRenew(id: $id, fence: $fence, sessionId: $sessionId) { success }
}`,
  state: "query RunState($id: String!) { issue(id: $id) { state { type } } }",
  cost: `query RunCost($filter: RecordedSessionFilter) {
  recordedSessions(first: 1, filter: $filter) { nodes { totals { cost } } }
}`,
  complete: `mutation RunComplete($id: String!, $fence: Int, $comment: String, $proofCommands: [String!]) {
  issueComplete(id: $id, fence: $fence, comment: $comment, proofCommands: $proofCommands, requireProof: true) { success }
}`,
  release: `mutation RunRelease($id: String!, $fence: Int, $comment: String) {
  issueRelease(id: $id, fence: $fence, comment: $comment) { success }
}`,
} as const;
