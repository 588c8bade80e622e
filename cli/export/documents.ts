const PAGE = "pageInfo { hasPreviousPage startCursor }";
const query = (name: string, filter: string, fields: string): string =>
  `query ($last: Int, $before: String) { page: ${name}(last: $last, before: $before, includeArchived: true${filter}) {
    nodes { ${fields} } ${PAGE} } }`;
const PERSON = "{ name email }";

/** The document of each list of an export. Pages go from the oldest to the newest. */
export const DOCUMENTS = {
  team: query(
    "teams",
    "",
    `key name description color icon archivedAt issueCount defaultIssueState { name }
      states(first: 100) { nodes { id name type color description position } }
      issues(first: 1) { nodes { trashed } }
      archived: issues(first: 50, includeArchived: true, filter: { archivedAt: { null: false } }) { nodes { trashed } }`,
  ),
  label: query("issueLabels", "", "id name color description isGroup archivedAt team { key } parent { name }"),
  project: query(
    "projects",
    "",
    `id name description content icon color priority sortOrder startDate targetDate createdAt updatedAt startedAt completedAt
      canceledAt archivedAt trashed status { name type } teams(first: 50) { nodes { key } }`,
  ),
  cycle: query("cycles", "", "number name description startsAt endsAt completedAt archivedAt team { key }"),
  issue: query(
    "issues",
    "",
    `id identifier previousIdentifiers externalIds title description priority estimate sortOrder labelIds dueDate createdAt
      updatedAt startedAt completedAt canceledAt archivedAt trashed team { key archivedAt } state { name } project { id name }
      projectMilestone { id } cycle { number } creator ${PERSON} externalUserCreator ${PERSON} assignee ${PERSON} externalUserAssignee ${PERSON}
      parent { identifier }`,
  ),
  comment: query("comments", ", filter: { parent: { null: true } }", commentFields()),
  answer: query("comments", ", filter: { parent: { null: false } }", commentFields()),
  parent: query(
    "issues",
    ", filter: { parent: { null: false } }",
    "id trashed team { archivedAt } parent { id trashed team { archivedAt } }",
  ),
  relation: query(
    "issueRelations",
    "",
    `id type createdAt updatedAt issue { id trashed team { archivedAt } } relatedIssue { id trashed team { archivedAt } }`,
  ),
  milestone: query("projectMilestones", "", "id name targetDate project { id }"),
  view: query("customViews", "", "id name description icon color shared filterData team { key } project { id }"),
  template: `{ page: templates { id name description icon color sortOrder templateData team { key } } }`,
} as const;

function commentFields(): string {
  return `id externalIds body createdAt updatedAt editedAt resolvedAt archivedAt parentId user ${PERSON}
    externalUser ${PERSON} issue { id trashed team { archivedAt } }`;
}

export type Listed = keyof typeof DOCUMENTS;
