/** The fields of every issue in a list; search results have these fields too. */
const ROW = `identifier title priority dueDate updatedAt url team { key } state { name type }
  assignee { name } externalUserAssignee { name } delegate { name } labels(first: 20) { nodes { name } }`;
const SHORT = "identifier title state { name }";
const LEASE = "lease { fence expiresAt sessionId holder { name isMe } }";
const PAGE = "pageInfo { hasNextPage endCursor }";
/** An issue whole, but for its comments. */
const DETAIL = `${ROW} id description estimate createdAt archivedAt trashed ready ${LEASE}
  creator { name } externalUserCreator { name } project { name } cycle { number name } parent { ${SHORT} }
  relations(first: 50) { nodes { type relatedIssue { ${SHORT} } } }
  inverseRelations(first: 50) { nodes { type issue { ${SHORT} } } }
  children(first: 50) { nodes { ${SHORT} } }`;
const TEAM = "id key name states(first: 100) { nodes { id name type position } }";
const PRIMED = "identifier title priority state { name } delegate { name } assignee { name }";

/** The documents of the commands about issues. */
export const ISSUE = {
  ready: `query Ready($filter: IssueFilter, $first: Int, $after: String) {
  issues(filter: $filter, sort: [{ ready: { order: Ascending } }], first: $first, after: $after) { nodes { ${ROW} } ${PAGE} }
}`,

  search: `query Search($term: String!, $filter: IssueFilter, $first: Int, $after: String, $comments: Boolean) {
  issues: searchIssues(term: $term, filter: $filter, first: $first, after: $after, includeComments: $comments) {
    nodes { ${ROW} } ${PAGE} totalCount
  }
}`,

  show: `query Show($id: String!, $first: Int, $after: String) {
  issue(id: $id) { ${DETAIL}
    comments(first: $first, after: $after) { nodes { id body createdAt parentId user { name } externalUser { name } } ${PAGE} }
  }
}`,

  create: `mutation Create($input: IssueCreateInput!) { issueCreate(input: $input) { issue { id ${ROW} } } }`,

  update: `mutation Update($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { issue { id ${ROW} } }
}`,

  claim: `mutation Claim($input: IssueClaimInput!) { issueClaim(input: $input) { issue { ${DETAIL} } } }`,

  renew: `mutation Renew($id: String!, $fence: Int, $ttlSeconds: Int) {
  issueRenew(id: $id, fence: $fence, ttlSeconds: $ttlSeconds) { issue { ${DETAIL} } }
}`,

  complete: `mutation Complete($id: String!, $fence: Int, $comment: String, $stateId: String) {
  issueComplete(id: $id, fence: $fence, comment: $comment, stateId: $stateId) { issue { id ${ROW} } }
}`,

  release: `mutation Release($id: String!, $fence: Int, $comment: String) {
  issueRelease(id: $id, fence: $fence, comment: $comment) { issue { id ${ROW} } }
}`,

  holder: `query Holder($id: String!) { issue(id: $id) { id identifier ${LEASE} } }`,

  comment: `mutation Comment($input: CommentCreateInput!) {
  commentCreate(input: $input) { comment { id createdAt issue { identifier } } }
}`,

  find: `query Find($ids: [ID!]!) {
  issues(filter: { id: { in: $ids } }, first: 100, includeArchived: true) { nodes { id identifier previousIdentifiers } }
}`,

  link: `mutation Link($input: IssueRelationCreateInput!) { issueRelationCreate(input: $input) { success } }`,

  links: `query Links($id: String!, $to: IssueRelationFilter, $from: IssueRelationFilter) {
  issue(id: $id) { id identifier
    relations(first: 50, filter: $to) { nodes { id type } }
    inverseRelations(first: 50, filter: $from) { nodes { id type } }
  }
}`,

  unlink: `mutation Unlink($id: String!) { issueRelationDelete(id: $id) { success } }`,

  prime: `query Prime($mine: IssueFilter!, $started: IssueFilter!, $ready: IssueFilter!, $blocked: IssueFilter!) {
  viewer { name }
  mine: issues(filter: $mine, first: 5, orderBy: updatedAt) { nodes { ${PRIMED} } }
  started: issues(filter: $started, first: 8, orderBy: updatedAt) { nodes { ${PRIMED} } }
  ready: issues(filter: $ready, sort: [{ ready: { order: Ascending } }], first: 8) { nodes { ${PRIMED} } }
  blocked: issues(filter: $blocked, first: 5, orderBy: updatedAt) {
    nodes { ${PRIMED} inverseRelations(first: 3, filter: { type: { eq: "blocks" } }) { nodes { issue { identifier } } } }
  }
}`,
} as const;

/** Everything that a command line can name, and what there is to choose from. */
export const NAME = {
  find: `query Names($issue: String = "", $ofIssue: Boolean = false, $team: TeamFilter, $byTeam: Boolean = false, $user: UserFilter, $byUser: Boolean = false, $project: ProjectFilter, $byProject: Boolean = false, $labels: IssueLabelFilter, $byLabels: Boolean = false) {
  issue(id: $issue) @include(if: $ofIssue) { team { ${TEAM} } }
  teams(filter: $team, first: 20) @include(if: $byTeam) { nodes { ${TEAM} } }
  users(filter: $user, first: 10) @include(if: $byUser) { nodes { id name displayName email app } }
  projects(filter: $project, first: 10) @include(if: $byProject) { nodes { id name slugId } }
  issueLabels(filter: $labels, first: 100) @include(if: $byLabels) { nodes { id name team { id } } }
}`,
  teams: "query TeamChoices { choices: teams(first: 20) { nodes { name: key } } }",
  users: "query UserChoices { choices: users(first: 20) { nodes { name } } }",
  projects: "query ProjectChoices { choices: projects(first: 20) { nodes { name } } }",
  labels: "query LabelChoices { choices: issueLabels(first: 20) { nodes { name } } }",
} as const;

const SESSION_ROW = `id externalId startedAt source clientConfig user { id } totals { events failures inputTokens outputTokens cost }
  brief { agent message endedAt open }`;

/** The documents of the commands about recorded sessions. */
export const SESSION = {
  list: `query Sessions($filter: RecordedSessionFilter, $first: Int, $after: String) {
  recordedSessions(filter: $filter, first: $first, after: $after) { nodes { ${SESSION_ROW} } ${PAGE} searchedSince }
}`,

  get: `query Session($id: String!) { recordedSession(id: $id) { ${SESSION_ROW} totals { models } } }`,

  outline: `query Outline($id: UUID!, $first: Int, $after: UUID, $receivedAfter: DateTime) {
  recordedOutline(sessionId: $id, first: $first, after: $after, receivedAfter: $receivedAfter) {
    hasNextPage endCursor ids parentIds names kinds open models inputTokens outputTokens costs failed latencies timestamps
    briefs results receivedAt
  }
}`,
} as const;
