import { type Caller, graphql } from "../api/graphql.ts";
import { EXIT, Failure } from "../failure.ts";
import { patient } from "../import/send.ts";
import { tell } from "../output/print.ts";

const PAGE = "pageInfo { hasPreviousPage startCursor }";
const query = (name: string, filter: string, fields: string): string =>
  `query ($last: Int, $before: String) { page: ${name}(last: $last, before: $before, includeArchived: true${filter}) {
    nodes { ${fields} } ${PAGE} } }`;
const PERSON = "{ name email }";

/** The document of each list of an export. Pages go from the oldest to the newest. */
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

/** An entry of a list, as GraphQL answers it. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of each is what its document selects
export type Node = Readonly<Record<string, any>>;

/** A page of a list, or a list without pages. */
interface Answer {
  page: Node[] | { nodes: Node[]; pageInfo: { hasPreviousPage: boolean; startCursor: string | null } };
}

/** Entries a page: as many as their points allow. */
const SIZES: Partial<Record<Listed, number>> = { team: 25, project: 50 };
const SIZE = 200;

/** Every entry of a list from the oldest to the newest, a page at a time. */
export async function* listed(caller: Caller, name: Listed): AsyncGenerator<Node> {
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

/** A page; undefined when it would be larger than an answer may be. */
async function asked(
  caller: Caller,
  name: Listed,
  variables: { last: number; before: string | null },
): Promise<Answer | undefined> {
  try {
    return await patient({ onWait }, () => graphql<Answer>(caller, DOCUMENTS[name], variables));
  } catch (error) {
    if (error instanceof Failure && error.exit === EXIT.usage && variables.last > 1) return undefined;
    throw error;
  }
}

const onWait = (seconds: number) => tell(`The server asks to wait ${seconds} s.`);
