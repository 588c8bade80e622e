import { getOwnProperty } from "../../formats/own.ts";
import { toOneLine } from "../output/print.ts";

/** Names of the priorities, by number. */
export const PRIORITIES = ["none", "urgent", "high", "medium", "low"] as const;

/** Fields of an issue whose name on the command line differs from the API: [command line, API]. */
const OTHERWISE = [
  ["milestone", "projectMilestone"],
  ["due", "dueDate"],
] as const;

/** Returns the API's name of a field. */
export const toApiFieldName = (name: string): string => OTHERWISE.find(([here]) => here === name)?.[1] ?? name;
/** Returns the command line's name of a field of the API. */
export const toCommandLineFieldName = (field: string): string =>
  OTHERWISE.find(([, there]) => there === field)?.[0] ?? field;

interface Named {
  name: string;
}

/** Fields of an issue in a list. */
export interface IssueRowNode {
  identifier: string;
  title: string;
  priority: number;
  dueDate: string | null;
  updatedAt: string;
  url: string;
  team: { key: string };
  state: { name: string; type: string };
  assignee: Named | null;
  /** A person without an account, from an import. */
  externalUserAssignee: Named | null;
  delegate: Named | null;
  labels: { nodes: Named[] };
}

/** Converts an issue to JSON, as lists of issues contain it. docs/cli.md describes the stable JSON format. */
export const toIssueRow = (node: IssueRowNode) => ({
  id: node.identifier,
  title: node.title,
  state: node.state.name,
  stateType: node.state.type,
  priority: PRIORITIES[node.priority] ?? "none",
  team: node.team.key,
  assignee: (node.assignee ?? node.externalUserAssignee)?.name ?? null,
  delegate: node.delegate?.name ?? null,
  labels: node.labels.nodes.map(({ name }) => name),
  due: node.dueDate,
  updated: node.updatedAt,
  url: node.url,
});

/** Fields of an issue in the responses of `list` and `show`. */
export interface IssueListNode extends IssueRowNode {
  project: Named | null;
  projectMilestone: Named | null;
  cycle: { number: number; name: string | null } | null;
}

/** Converts an issue to JSON, like `toIssueRow`, and adds project, milestone and cycle. */
export const toIssueListRow = (node: IssueListNode) => ({
  ...toIssueRow(node),
  project: node.project?.name ?? null,
  milestone: node.projectMilestone?.name ?? null,
  cycle: node.cycle && (node.cycle.name ?? String(node.cycle.number)),
});

/** Returns an issue as one line: identifier, priority, state, title, people, labels and due date. */
export function formatIssue(node: IssueRowNode): string {
  const { identifier, priority, state, title, delegate, assignee, externalUserAssignee, labels, dueDate } = node;
  const who = delegate ?? assignee ?? externalUserAssignee;
  const notes = [
    who && `@${toOneLine(who.name, 40)}`,
    ...labels.nodes.map(({ name }) => `#${toOneLine(name, 40)}`),
    dueDate && `due ${dueDate}`,
  ].filter(Boolean);
  const urgency = priority > 0 ? `${PRIORITIES[priority]} ` : "";
  return [`${identifier} ${urgency}[${toOneLine(state.name, 40)}] ${toOneLine(title, 120)}`, ...notes].join(" ");
}

export interface GraphqlPage<Node> {
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Returns the cursor of the next page, if there is a next page. */
export const readNextCursor = ({ pageInfo }: GraphqlPage<unknown>): string | null =>
  pageInfo.hasNextPage ? pageInfo.endCursor : null;

/** Returns the lines of a list: one line per entry, the text `none` for an empty list, and how to get the next page. */
export function formatPage<Node>(page: GraphqlPage<Node>, line: (node: Node) => string, none: string): string[] {
  const next = readNextCursor(page);
  const lines = page.nodes.map(line);
  return [...(lines.length > 0 ? lines : [none]), ...(next ? [`more: the same with --after ${next}`] : [])];
}

interface ShortNode {
  identifier: string;
  title: string;
  state: { name: string };
}

export interface LeaseNode {
  fence: number;
  expiresAt: string;
  sessionId: string | null;
  holder: { name: string; isMe: boolean };
}

/** All fields of an issue in a response. */
export interface IssueDetailNode extends IssueListNode {
  id: string;
  description: string | null;
  estimate: number | null;
  createdAt: string;
  archivedAt: string | null;
  trashed: boolean | null;
  ready: boolean;
  lease: LeaseNode | null;
  creator: { name: string } | null;
  externalUserCreator: { name: string } | null;
  parent: ShortNode | null;
  relations: { nodes: { type: string; relatedIssue: ShortNode }[] };
  inverseRelations: { nodes: { type: string; issue: ShortNode }[] };
  children: { nodes: ShortNode[] };
}

export interface CommentNode {
  id: string;
  body: string;
  createdAt: string;
  parentId: string | null;
  user: { name: string } | null;
  externalUser: { name: string } | null;
}

const short = ({ identifier, title, state }: ShortNode) => ({ id: identifier, title, state: state.name });

/** Names of relation types for the opposite direction, in which the related issue comes first. */
const INVERSE: Readonly<Record<string, string>> = { duplicate: "duplicatedBy", discovered: "ledTo" };

function relationsOf({ relations, inverseRelations }: IssueDetailNode) {
  const to = inverseRelations.nodes.filter(({ type }) => type !== "blocks");
  return [
    ...relations.nodes.map(({ type, relatedIssue }) => ({ type, ...short(relatedIssue) })),
    ...to.map(({ type, issue }) => ({ type: getOwnProperty(INVERSE, type) ?? type, ...short(issue) })),
  ];
}

const blockersOf = ({ inverseRelations }: IssueDetailNode) =>
  inverseRelations.nodes.filter(({ type }) => type === "blocks").map(({ issue }) => short(issue));

const leaseOf = (lease: LeaseNode | null) =>
  lease && {
    fence: lease.fence,
    holder: lease.holder.name,
    mine: lease.holder.isMe,
    session: lease.sessionId,
    until: lease.expiresAt,
  };

/** Converts all fields of an issue to JSON. docs/cli.md describes the stable JSON format. */
export const toIssueDetail = (node: IssueDetailNode) => ({
  ...toIssueListRow(node),
  uuid: node.id,
  description: node.description,
  estimate: node.estimate,
  parent: node.parent && short(node.parent),
  children: node.children.nodes.map(short),
  blockedBy: blockersOf(node),
  relations: relationsOf(node),
  ready: node.ready,
  lease: leaseOf(node.lease),
  creator: (node.creator ?? node.externalUserCreator)?.name ?? null,
  created: node.createdAt,
  archived: node.archivedAt !== null,
  trashed: node.trashed === true,
});

/** Returns a page of comments as JSON, newest first. */
export const toCommentPage = (page: GraphqlPage<CommentNode>) => ({
  comments: page.nodes.map(({ id, body, createdAt, parentId, user, externalUser }) => ({
    id,
    author: (user ?? externalUser)?.name ?? null,
    at: createdAt,
    replyTo: parentId,
    body,
  })),
  next: readNextCursor(page),
});

type Detail = ReturnType<typeof toIssueDetail>;

/** Returns all fields of an issue as lines. Fields without a value are left out. */
export function formatIssueDetail(node: IssueDetailNode): string[] {
  const issue = toIssueDetail(node);
  const one = ({ id, title, state }: Detail["children"][number]) =>
    `${id} [${toOneLine(state, 40)}] ${toOneLine(title, 80)}`;
  const facts: [string, string | number | null | undefined | false][] = [
    ["held by", heldBy(issue)],
    ["project", issue.project],
    ["milestone", issue.milestone],
    ["cycle", issue.cycle],
    ["estimate", issue.estimate],
    ["archived", issue.archived && "yes"],
    ["trashed", issue.trashed && "yes"],
    ["parent", issue.parent && one(issue.parent)],
    ...issue.children.map((child): [string, string] => ["part", one(child)]),
    ...issue.blockedBy.map((blocker): [string, string] => ["blocked by", one(blocker)]),
    ...issue.relations.map((relation): [string, string] => [relation.type, one(relation)]),
  ];
  return [
    formatIssue(node),
    ...facts.flatMap(([name, value]) => (value ? [`${name}: ${toOneLine(String(value), 300)}`] : [])),
    `by ${toOneLine(issue.creator ?? "nobody", 60)} on ${issue.created.slice(0, 10)}, ${issue.url}`,
    ...(issue.description ? ["", issue.description] : []),
  ];
}

function heldBy({ lease, ready }: Detail): string {
  if (!lease) return ready ? "nobody, ready to be claimed" : "";
  return `${toOneLine(lease.holder, 60)}${lease.mine ? " (you)" : ""} until ${lease.until}, fence ${lease.fence}`;
}

/** Returns comments as lines, each with a heading. */
export const formatComments = ({ comments, next }: ReturnType<typeof toCommentPage>): string[] => [
  ...comments.flatMap(({ author, at, body }) => [
    "",
    `-- ${toOneLine(author ?? "the system", 60)}, ${at.slice(0, 19)}Z`,
    body,
  ]),
  ...(next ? ["", `more comments: the same with --after ${next}`] : []),
];
