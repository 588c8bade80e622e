import { readOwn } from "../../formats/own.ts";
import { oneLine } from "../output/print.ts";

/** The priorities in words, by their number. */
export const PRIORITIES = ["none", "urgent", "high", "medium", "low"] as const;

/** The fields of an issue that are called otherwise here than in the API: [here, there]. */
const OTHERWISE = [
  ["milestone", "projectMilestone"],
  ["due", "dueDate"],
] as const;

/** The API's name of a field that is called so here. */
export const apiName = (name: string): string => OTHERWISE.find(([here]) => here === name)?.[1] ?? name;
/** The name that a field of the API has here. */
export const shownName = (field: string): string => OTHERWISE.find(([, there]) => there === field)?.[0] ?? field;

interface Named {
  name: string;
}

/** An issue as the documents ask for it in lists. */
export interface RowNode {
  identifier: string;
  title: string;
  priority: number;
  dueDate: string | null;
  updatedAt: string;
  url: string;
  team: { key: string };
  state: { name: string; type: string };
  assignee: Named | null;
  /** Somebody without an account, as imports bring them. */
  externalUserAssignee: Named | null;
  delegate: Named | null;
  labels: { nodes: Named[] };
}

/** An issue in a list, as JSON. Part of the interface: docs/cli.md. */
export const issueRow = (node: RowNode) => ({
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

/** An issue as the documents of `list` and `show` ask for it. */
export interface ListNode extends RowNode {
  project: Named | null;
  projectMilestone: Named | null;
  cycle: { number: number; name: string | null } | null;
}

/** The same with the project, the milestone and the cycle that it is planned for. */
export const listRow = (node: ListNode) => ({
  ...issueRow(node),
  project: node.project?.name ?? null,
  milestone: node.projectMilestone?.name ?? null,
  cycle: node.cycle && (node.cycle.name ?? String(node.cycle.number)),
});

/** An issue in one line: identifier, priority, state, title, and what else there is. */
export function issueLine(node: RowNode): string {
  const { identifier, priority, state, title, delegate, assignee, externalUserAssignee, labels, dueDate } = node;
  const who = delegate ?? assignee ?? externalUserAssignee;
  const notes = [
    who && `@${oneLine(who.name, 40)}`,
    ...labels.nodes.map(({ name }) => `#${oneLine(name, 40)}`),
    dueDate && `due ${dueDate}`,
  ].filter(Boolean);
  const urgency = priority > 0 ? `${PRIORITIES[priority]} ` : "";
  return [`${identifier} ${urgency}[${oneLine(state.name, 40)}] ${oneLine(title, 120)}`, ...notes].join(" ");
}

/** A page of a list. */
export interface Page<Node> {
  nodes: Node[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** The beginning of the next page, if there is one. */
export const nextOf = ({ pageInfo }: Page<unknown>): string | null =>
  pageInfo.hasNextPage ? pageInfo.endCursor : null;

/** The lines of a list: one for each entry, the text `none` for an empty list, and how to go on where there is more. */
export function listLines<Node>(page: Page<Node>, line: (node: Node) => string, none: string): string[] {
  const next = nextOf(page);
  const lines = page.nodes.map(line);
  return [...(lines.length > 0 ? lines : [none]), ...(next ? [`more: the same with --after ${next}`] : [])];
}

interface ShortNode {
  identifier: string;
  title: string;
  state: { name: string };
}

/** The lease of an issue, as the documents ask for it. */
export interface LeaseNode {
  fence: number;
  expiresAt: string;
  sessionId: string | null;
  holder: { name: string; isMe: boolean };
}

/** An issue whole, as the documents ask for it. */
export interface DetailNode extends ListNode {
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

/** A comment, as the documents ask for it. */
export interface CommentNode {
  id: string;
  body: string;
  createdAt: string;
  parentId: string | null;
  user: { name: string } | null;
  externalUser: { name: string } | null;
}

const short = ({ identifier, title, state }: ShortNode) => ({ id: identifier, title, state: state.name });

/** A relation as it is called from its other end. */
const INVERSE: Readonly<Record<string, string>> = { duplicate: "duplicatedBy", discovered: "ledTo" };

function relationsOf({ relations, inverseRelations }: DetailNode) {
  const to = inverseRelations.nodes.filter(({ type }) => type !== "blocks");
  return [
    ...relations.nodes.map(({ type, relatedIssue }) => ({ type, ...short(relatedIssue) })),
    ...to.map(({ type, issue }) => ({ type: readOwn(INVERSE, type) ?? type, ...short(issue) })),
  ];
}

const blockersOf = ({ inverseRelations }: DetailNode) =>
  inverseRelations.nodes.filter(({ type }) => type === "blocks").map(({ issue }) => short(issue));

/** A lease as JSON. */
const leaseOf = (lease: LeaseNode | null) =>
  lease && {
    fence: lease.fence,
    holder: lease.holder.name,
    mine: lease.holder.isMe,
    session: lease.sessionId,
    until: lease.expiresAt,
  };

/** An issue whole, as JSON. Part of the interface: docs/cli.md. */
export const issueDetail = (node: DetailNode) => ({
  ...listRow(node),
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

/** A page of comments as JSON, the newest first. */
export const commentsOf = (page: Page<CommentNode>) => ({
  comments: page.nodes.map(({ id, body, createdAt, parentId, user, externalUser }) => ({
    id,
    author: (user ?? externalUser)?.name ?? null,
    at: createdAt,
    replyTo: parentId,
    body,
  })),
  next: nextOf(page),
});

type Detail = ReturnType<typeof issueDetail>;

/** An issue whole, as lines: what is not there is left out. */
export function detailLines(node: DetailNode): string[] {
  const issue = issueDetail(node);
  const one = ({ id, title, state }: Detail["children"][number]) =>
    `${id} [${oneLine(state, 40)}] ${oneLine(title, 80)}`;
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
    issueLine(node),
    ...facts.flatMap(([name, value]) => (value ? [`${name}: ${oneLine(String(value), 300)}`] : [])),
    `by ${oneLine(issue.creator ?? "nobody", 60)} on ${issue.created.slice(0, 10)}, ${issue.url}`,
    ...(issue.description ? ["", issue.description] : []),
  ];
}

function heldBy({ lease, ready }: Detail): string {
  if (!lease) return ready ? "nobody, ready to be claimed" : "";
  return `${oneLine(lease.holder, 60)}${lease.mine ? " (you)" : ""} until ${lease.until}, fence ${lease.fence}`;
}

/** Comments as lines, each with a head of its own. */
export const commentLines = ({ comments, next }: ReturnType<typeof commentsOf>): string[] => [
  ...comments.flatMap(({ author, at, body }) => [
    "",
    `-- ${oneLine(author ?? "the system", 60)}, ${at.slice(0, 19)}Z`,
    body,
  ]),
  ...(next ? ["", `more comments: the same with --after ${next}`] : []),
];
