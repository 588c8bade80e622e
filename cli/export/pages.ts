import { type ApiCredentials, sendGraphqlRequest } from "../api/graphql.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import { retryWhileBusy } from "../import/send.ts";
import { printToStderr } from "../output/print.ts";

const PAGE = "pageInfo { hasPreviousPage startCursor }";
const query = (name: string, filter: string, fields: string): string =>
  `query ($last: Int, $before: String) { page: ${name}(last: $last, before: $before, includeArchived: true${filter}) {
    nodes { ${fields} } ${PAGE} } }`;
const PERSON = "{ name email }";

/** GraphQL documents that request the lists for an export. Each list is read from the oldest entry to the newest. */
const DOCUMENTS = {
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

type Listed = keyof typeof DOCUMENTS;

/** One entry of a requested list, with the fields that the GraphQL document selects. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of each is what its document selects
export type ExportNode = Readonly<Record<string, any>>;

/** A page of a list, or a list without pages. */
interface Answer {
  page: ExportNode[] | { nodes: ExportNode[]; pageInfo: { hasPreviousPage: boolean; startCursor: string | null } };
}

/** Entries per page, limited by the points of a query. */
const SIZES: Partial<Record<Listed, number>> = { team: 25, project: 50 };
const SIZE = 200;

/**
 * Returns every entry of a list from the oldest to the newest, page by page. Halves the page size if a page is too
 * large for a response.
 */
export async function* listAll(caller: ApiCredentials, name: Listed): AsyncGenerator<ExportNode> {
  let size = SIZES[name] ?? SIZE;
  for (let before: string | null = null; ; ) {
    const answer = await asked(caller, name, { last: size, before });
    if (!answer) {
      size = Math.ceil(size / 2);
      continue;
    }
    if (Array.isArray(answer.page)) return yield* answer.page;
    yield* answer.page.nodes.reverse();
    const { hasPreviousPage, startCursor } = answer.page.pageInfo;
    if (!hasPreviousPage) return;
    before = startCursor;
  }
}

/** Requests a page. Returns undefined if the response would be too large. */
async function asked(
  caller: ApiCredentials,
  name: Listed,
  variables: { last: number; before: string | null },
): Promise<Answer | undefined> {
  try {
    return await retryWhileBusy({ onWait }, () => sendGraphqlRequest<Answer>(caller, DOCUMENTS[name], variables));
  } catch (error) {
    if (error instanceof CommandFailure && error.exit === EXIT_CODES.usage && variables.last > 1) return undefined;
    throw error;
  }
}

const onWait = (seconds: number) => printToStderr(`The server asks the command to wait ${seconds} s.`);
