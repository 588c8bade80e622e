import { ISSUE_ROW_FRAGMENT } from "./issue.ts";

const FIELDS = `...Row url description team { proof } handover
  concurrentChanges { path createdAt holder { name } issue { identifier } }`;
const SHORT = `identifier title priority state { name } delegate { name } assignee { name }`;

/** GraphQL documents of the toolset `work`. */
export const WORK_DOCUMENTS = {
  next: `query NextIssue($filter: IssueFilter) {
  readyIssues(filter: $filter, first: 1) { nodes { ${FIELDS} } }
}
${ISSUE_ROW_FRAGMENT}`,

  claim: `mutation ClaimIssue($input: IssueClaimInput!) {
  issueClaim(input: $input) { issue { ${FIELDS} } lease { fence expiresAt } }
}
${ISSUE_ROW_FRAGMENT}`,

  holder: `query IssueHolder($id: String!) {
  issue(id: $id) { identifier lease { fence sessionId holder { name isMe } } }
}`,

  complete: `mutation FinishIssue($id: String!, $fence: Int, $comment: String) {
  issueComplete(id: $id, fence: $fence, comment: $comment) { issue { ...Row url } proof { verdict reason } }
}
${ISSUE_ROW_FRAGMENT}`,

  release: `mutation ReleaseIssue($id: String!, $fence: Int, $comment: String) {
  issueRelease(id: $id, fence: $fence, comment: $comment) { issue { ...Row url } }
}
${ISSUE_ROW_FRAGMENT}`,

  link: `mutation LinkIssues($input: IssueRelationCreateInput!) {
  issueRelationCreate(input: $input) { issueRelation { type issue { identifier } relatedIssue { identifier } } }
}`,

  linked: `query LinkedIssues($id: String!, $to: ID!, $other: String!) {
  issue(id: $id) {
    identifier
    relations(filter: { relatedIssue: { id: { eq: $to } } }) { nodes { id type } }
    inverseRelations(filter: { issue: { id: { eq: $to } } }) { nodes { id type } }
  }
  other: issue(id: $other) { identifier }
}`,

  unlink: `mutation UnlinkIssues($id: String!) {
  issueRelationDelete(id: $id) { success }
}`,

  prime: `query Prime($mine: IssueFilter!, $started: IssueFilter!, $ready: IssueFilter, $blocked: IssueFilter!) {
  viewer { name }
  mine: issues(filter: $mine, first: 5, orderBy: updatedAt) { nodes { ${SHORT} } }
  started: issues(filter: $started, first: 8, orderBy: updatedAt) { nodes { ${SHORT} } }
  ready: readyIssues(filter: $ready, first: 8) { nodes { ${SHORT} } }
  blocked: issues(filter: $blocked, first: 5, orderBy: updatedAt) {
    nodes { ${SHORT} inverseRelations(first: 3, filter: { type: { eq: "blocks" } }) { nodes { issue { identifier } } } }
  }
}`,
} as const;
