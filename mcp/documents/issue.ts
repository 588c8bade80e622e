import { NAMES_FRAGMENT, NAMES_FRAGMENT_VARIABLES } from "./names.ts";

/** Fields of an issue in a list. */
export const ISSUE_ROW_FRAGMENT = `fragment Row on Issue {
  identifier title priority dueDate updatedAt
  state { name }
  assignee { name }
  project { name }
  labels(first: 10) { nodes { name } }
}`;

/**
 * The fields of `ISSUE_ROW_FRAGMENT`, written out for search results. Search results have another GraphQL type, so the
 * fragment cannot be used.
 */
const FOUND = `edges { cursor node { identifier title priority dueDate updatedAt state { name } assignee { name } project { name } labels(first: 10) { nodes { name } } } }`;

const DETAIL = `fragment Detail on Issue {
  ...Row
  id description estimate url createdAt archivedAt trashed
  team { key }
  creator { name }
  externalUserCreator { name }
  cycle { number name }
  projectMilestone { name }
  parent { identifier title }
  delegate { name }
  lease { fence expiresAt holder { name } }
  relations(first: 50) { nodes { type relatedIssue { identifier title state { name } } } }
  inverseRelations(first: 50) { nodes { type issue { identifier title state { name } } } }
  children(first: 50) { nodes { identifier title state { name } } pageInfo { hasNextPage } }
  sessionLinks(first: 5) { nodes { kinds session { id } } }
}`;

/** GraphQL documents of the issue tools. `DETAIL` and `ISSUE_ROW_FRAGMENT` contain the fields that the tools show. */
export const ISSUE_DOCUMENTS = {
  list: `query ListIssues($filter: IssueFilter, $first: Int, $after: String, $sort: [IssueSortInput!], $includeArchived: Boolean, ${NAMES_FRAGMENT_VARIABLES}) {
  issues(filter: $filter, first: $first, after: $after, sort: $sort, includeArchived: $includeArchived) {
    edges { cursor node { ...Row } }
    pageInfo { hasNextPage }
  }
  ...Names
}
${ISSUE_ROW_FRAGMENT}
${NAMES_FRAGMENT}`,

  search: `query SearchIssues($term: String!, $filter: IssueFilter, $first: Int, $after: String, $includeArchived: Boolean, ${NAMES_FRAGMENT_VARIABLES}) {
  issues: searchIssues(term: $term, filter: $filter, first: $first, after: $after, includeArchived: $includeArchived, includeComments: true) {
    ${FOUND}
    pageInfo { hasNextPage }
    unmatchedWords
  }
  ...Names
}
${NAMES_FRAGMENT}`,

  similar: `query SimilarIssues($title: String!, $text: String, $first: Int, $filter: IssueFilter) {
  issues: similarIssues(title: $title, text: $text, first: $first, filter: $filter, includeArchived: false) {
    ${FOUND}
    pageInfo { hasNextPage }
  }
}`,

  count: `query CountIssues($groupBy: IssueGroupBy, $ofProjects: Boolean = false, $filter: IssueFilter, $includeArchived: Boolean, ${NAMES_FRAGMENT_VARIABLES}) {
  issueGroups(groupBy: $groupBy, filter: $filter, includeArchived: $includeArchived) { count groupCount groups { name count project @include(if: $ofProjects) { name } } }
  ...Names
}
${NAMES_FRAGMENT}`,

  countFound: `query CountFoundIssues($term: String!, $filter: IssueFilter, $includeArchived: Boolean, ${NAMES_FRAGMENT_VARIABLES}) {
  found: searchIssues(term: $term, filter: $filter, first: 1, includeArchived: $includeArchived, includeComments: true) { totalCount }
  ...Names
}
${NAMES_FRAGMENT}`,

  get: `query GetIssue($id: String!, $first: Int, $after: String, $handover: Boolean = false) {
  issue(id: $id) {
    ...Detail
    handover @include(if: $handover)
    comments(first: $first, after: $after) {
      edges { cursor node { id body createdAt parentId user { name } externalUser { name } } }
      pageInfo { hasNextPage }
    }
  }
}
${DETAIL}
${ISSUE_ROW_FRAGMENT}`,

  create: `mutation CreateIssue($input: IssueCreateInput!) {
  issueCreate(input: $input) { issue { ...Row url } }
}
${ISSUE_ROW_FRAGMENT}`,

  update: `mutation UpdateIssue($id: String!, $input: IssueUpdateInput!) {
  issueUpdate(id: $id, input: $input) { issue { ...Row url } }
}
${ISSUE_ROW_FRAGMENT}`,

  updateMany: `mutation UpdateIssues($ids: [UUID!]!, $input: IssueUpdateInput!) {
  issueBatchUpdate(ids: $ids, input: $input) { issues { identifier } }
}`,

  plan: `mutation PlanIssues($input: IssueBatchCreateInput!) {
  issueBatchCreate(input: $input) { issues { identifier trashed } }
}`,

  comment: `mutation CreateComment($input: CommentCreateInput!) {
  commentCreate(input: $input) { comment { id body createdAt issue { identifier } } }
}`,

  find: `query FindIssues($ids: [ID!]!) {
  issues(filter: { id: { in: $ids } }, first: 50, includeArchived: true) {
    nodes { id identifier previousIdentifiers team { id key } project { id } }
  }
}`,
} as const;
