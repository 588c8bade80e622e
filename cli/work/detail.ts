import { oneLine } from "../output/safe.ts";
import { issueLine, type ListNode, listRow, nextOf, type Page } from "./issue.ts";

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
    ...to.map(({ type, issue }) => ({ type: INVERSE[type] ?? type, ...short(issue) })),
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
