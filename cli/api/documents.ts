import { TEAM_FIELDS } from "./named.ts";

/** The fields of every issue in a list; search results have these fields too. */
const ROW = `identifier title priority dueDate updatedAt url team { key } state { name type }
  assignee { name } externalUserAssignee { name } delegate { name } labels(first: 20) { nodes { name } }`;
const LISTED = `${ROW} project { name } projectMilestone { name } cycle { number name }`;
const SHORT = "identifier title state { name }";
const LEASE = "lease { fence expiresAt sessionId holder { name isMe } }";
const PAGE = "pageInfo { hasNextPage endCursor }";
/** All fields of an issue except the comments. */
const DETAIL = `${LISTED} id description estimate createdAt archivedAt trashed ready ${LEASE}
  creator { name } externalUserCreator { name } parent { ${SHORT} }
  relations(first: 50) { nodes { type relatedIssue { ${SHORT} } } }
  inverseRelations(first: 50) { nodes { type issue { ${SHORT} } } }
  children(first: 50) { nodes { ${SHORT} } }`;
const PRIMED = "identifier title priority state { name } delegate { name } assignee { name }";

/** Fields of an entry in an issue's history: each changed field with its old and new value. */
const CHANGE = `id createdAt event actor { name } updatedDescription fromTitle toTitle fromPriority toPriority fromEstimate
  toEstimate fromDueDate toDueDate fromIdentifier toIdentifier fromState { name } toState { name } fromAssignee { name }
  toAssignee { name } fromDelegate { name } toDelegate { name } fromProject { name } toProject { name } fromProjectMilestone { name }
  toProjectMilestone { name } fromCycle { name: number }
  toCycle { name: number } fromParent { name: identifier } toParent { name: identifier } addedLabels { name } removedLabels { name }
  archived trashed relationChanges { identifier type }`;

/** GraphQL documents of the commands about issues. */
export const ISSUE = {
  ready: `query Ready($filter: IssueFilter, $first: Int, $after: String) {
  readyIssues(filter: $filter, first: $first, after: $after) { nodes { ${ROW} } ${PAGE} }
}`,

  list: `query List($filter: IssueFilter, $first: Int, $after: String) {
  issues(filter: $filter, orderBy: updatedAt, first: $first, after: $after) { nodes { ${LISTED} } ${PAGE} }
}`,

  count: `query Count($filter: IssueFilter, $groupBy: IssueGroupBy, $ofProjects: Boolean = false) {
  counted: issueGroups(filter: $filter, groupBy: $groupBy) { count groupCount groups { name count project @include(if: $ofProjects) { name } } }
}`,

  search: `query Search($term: String!, $filter: IssueFilter, $first: Int, $after: String, $comments: Boolean) {
  issues: searchIssues(term: $term, filter: $filter, first: $first, after: $after, includeComments: $comments) {
    nodes { ${ROW} } ${PAGE} totalCount unmatchedWords
  }
}`,

  similar: `query Similar($title: String!, $filter: IssueFilter, $first: Int, $after: String) {
  issues: similarIssues(title: $title, filter: $filter, first: $first, after: $after) { nodes { ${ROW} } ${PAGE} totalCount }
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

  claim: `mutation Claim($input: IssueClaimInput!) { issueClaim(input: $input) { issue { ${DETAIL}
  handover team { proof } concurrentChanges { path createdAt holder { name } issue { identifier } } } } }`,

  renew: `mutation Renew($id: String!, $fence: Int, $ttlSeconds: Int) {
  issueRenew(id: $id, fence: $fence, ttlSeconds: $ttlSeconds) { issue { ${DETAIL} } }
}`,

  complete: `mutation Complete($id: String!, $fence: Int, $comment: String, $stateId: String, $proofCommands: [String!], $overrideProof: Boolean) {
  issueComplete(id: $id, fence: $fence, comment: $comment, stateId: $stateId, proofCommands: $proofCommands, overrideProof: $overrideProof) {
    issue { id ${ROW} } proof { verdict reason }
  }
}`,

  handover: `mutation Handover($id: String!) { issueHandover(id: $id) { issue { identifier handover } } }`,

  release: `mutation Release($id: String!, $fence: Int, $comment: String) {
  issueRelease(id: $id, fence: $fence, comment: $comment) { issue { id ${ROW} } }
}`,

  where: `query Where($id: String!) {
  viewer { id app }
  issue(id: $id) { id archivedAt trashed state { type } assignee { id } delegate { id } team { ${TEAM_FIELDS} } }
}`,

  delete: `mutation Delete($id: String!) { issueDelete(id: $id) { entity { ${ROW} } } }`,

  restore: `mutation Restore($id: String!) { issueUnarchive(id: $id) { entity { ${ROW} } } }`,

  url: "query Url($id: String!) { issue(id: $id) { identifier url } }",

  history: `query History($id: String!, $first: Int, $after: String) {
  issue(id: $id) { history(first: $first, after: $after) { nodes { ${CHANGE} } ${PAGE} } }
}`,

  holder: `query Holder($id: String!) { issue(id: $id) { id identifier ${LEASE} } }`,

  comment: `mutation Comment($input: CommentCreateInput!) {
  commentCreate(input: $input) { comment { id createdAt issue { identifier } } }
}`,

  lastComment: `query LastComment($id: String!) {
  issue(id: $id) { comments(first: 1, filter: { user: { isMe: { eq: true } } }) { nodes { id } } }
}`,

  editComment: `mutation EditComment($id: String!, $input: CommentUpdateInput!) {
  commentUpdate(id: $id, input: $input) { comment { id createdAt issue { identifier } } }
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

  prime: `query Prime($mine: IssueFilter!, $started: IssueFilter!, $ready: IssueFilter, $blocked: IssueFilter!) {
  viewer { name }
  mine: issues(filter: $mine, first: 5, orderBy: updatedAt) { nodes { ${PRIMED} } }
  started: issues(filter: $started, first: 8, orderBy: updatedAt) { nodes { ${PRIMED} } }
  ready: readyIssues(filter: $ready, first: 8) { nodes { ${PRIMED} } }
  blocked: issues(filter: $blocked, first: 5, orderBy: updatedAt) {
    nodes { ${PRIMED} inverseRelations(first: 3, filter: { type: { eq: "blocks" } }) { nodes { issue { identifier } } } }
  }
}`,
} as const;

const SESSION_ROW = `id externalId startedAt source state stateSince waitsFor clientConfig user { id } totals { events failures inputTokens outputTokens cost costSource }
  brief { agent message endedAt open }`;

/** GraphQL documents of the commands about recorded sessions. */
export const SESSION = {
  list: `query Sessions($filter: RecordedSessionFilter, $first: Int, $after: String) {
  recordedSessions(filter: $filter, first: $first, after: $after) { nodes { ${SESSION_ROW} } ${PAGE} searchedSince }
}`,

  ids: `query SessionIds($filter: RecordedSessionFilter, $first: Int, $after: String) {
  recordedSessions(filter: $filter, first: $first, after: $after) { nodes { id } ${PAGE} searchedSince }
}`,

  delete: `mutation DeleteSessions($ids: [String!]!) { recordedSessionsDelete(ids: $ids) { sessions complete } }`,

  get: `query Session($id: String!) { recordedSession(id: $id) { ${SESSION_ROW} totals { models }
    files(first: 50, orderBy: updatedAt) { nodes { path added removed edits } } commits(first: 50) { nodes { id message branch createdAt } } } }`,

  outline: `query Outline($id: UUID!, $first: Int, $after: UUID, $receivedAfter: DateTime) {
  recordedOutline(sessionId: $id, first: $first, after: $after, receivedAfter: $receivedAfter) {
    hasNextPage endCursor ids parentIds names kinds open models inputTokens outputTokens costs failed latencies timestamps
    briefs results receivedAt
  }
}`,
} as const;

/** GraphQL documents of `trackway blame`. */
export const BLAME = {
  commits: `query RecordedCommits($shas: [String!]!) { recordedCommits(shas: $shas, first: 250) {
    nodes { id message createdAt event { id } session { id } }
  } }`,

  changes: `query RecordedChanges($path: String!, $lines: [String!], $first: Int, $after: String) {
  recordedFiles(path: $path, lines: $lines, first: $first, after: $after) {
    nodes { path lines createdAt event { id } session { id } } ${PAGE}
  }
}`,

  session: `query RecordedWriter($id: String!) { recordedSession(id: $id) {
    ${SESSION_ROW} metadata issues(first: 5) { nodes { identifier } } commits(first: 100) { nodes { id message } }
  } }`,

  event: `query RecordedOrigin($id: String!) { recordedEvent(id: $id) {
    id timestamp turn { id args(maxLength: 2000) cost }
  } }`,
} as const;

/** GraphQL documents of `trackway inbox`. */
export const INBOX = {
  list: `query Inbox($first: Int, $after: String, $all: Boolean) {
  inbox(first: $first, after: $after, includeArchived: $all) {
    nodes {
      id type createdAt question readAt session { id source metadata } event { id } issue { identifier }
      failureGroup { id } comment { id } holder { name }
    } ${PAGE}
  }
}`,

  update: `mutation MarkEntries($ids: [String!]!, $input: InboxEntryUpdateInput!) {
  inboxEntryUpdate(ids: $ids, input: $input) { success }
}`,
} as const;

/** GraphQL document of `trackway usage`. */
export const USAGE = {
  get: `query Usage($groupBy: RecordedUsageGroupBy!, $from: DateTimeOrDuration, $to: DateTimeOrDuration, $filter: RecordedUsageFilter) {
  recordedUsage(groupBy: $groupBy, from: $from, to: $to, filter: $filter) {
    from to truncated
    groups { name sessions inputTokens outputTokens cacheReadTokens cacheWriteTokens cost costSource missingCosts
      days { day sessions inputTokens outputTokens cost } }
  }
}`,
} as const;
