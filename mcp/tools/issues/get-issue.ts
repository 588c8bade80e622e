import { z } from "zod";
import { getOwnProperty } from "../../../formats/own.ts";
import { ISSUE_DOCUMENTS } from "../../documents/issue.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import {
  type GraphqlConnection,
  type IssueNode,
  issueRowSchema,
  PAGE_RESULT_SCHEMAS,
  toIssueRow,
  toNonEmptyList,
  toNonEmptyText,
  toPage,
} from "../../results.ts";

const COMMENTS = 20;

const comment = z.object({
  id: z.string(),
  author: z.string().optional(),
  at: z.string(),
  reply_to: z.string().optional(),
  body: z.string(),
});

const related = z.object({ id: z.string(), title: z.string(), state: z.string().optional() });

const issue = issueRowSchema.extend({
  team: z.string(),
  description: z.string().optional(),
  cycle: z.string().optional(),
  milestone: z.string().optional(),
  estimate: z.number().optional(),
  parent: related.optional(),
  children: z.array(related).optional(),
  blocked_by: z.array(related).optional(),
  relations: z.array(related.extend({ type: z.string() })).optional(),
  delegate: z.string().optional(),
  holder: z.string().optional(),
  fence: z.number().optional(),
  lease_until: z.string().optional(),
  sessions: z.array(z.object({ id: z.string(), kinds: z.array(z.string()) })).optional(),
  creator: z.string().optional(),
  created: z.string(),
  updated: z.string(),
  archived: z.boolean().optional(),
  trashed: z.boolean().optional(),
  handover: z.string().optional(),
  comments: z.array(comment).optional(),
});

interface Detail extends IssueNode {
  description: string | null;
  estimate: number | null;
  createdAt: string;
  updatedAt: string;
  archivedAt: string | null;
  trashed: boolean | null;
  team: { key: string };
  creator: { name: string } | null;
  externalUserCreator: { name: string } | null;
  cycle: { number: number; name: string | null } | null;
  projectMilestone: { name: string } | null;
  parent: { identifier: string; title: string } | null;
  children: { nodes: RelatedNode[] };
  handover?: string | null;
  comments: GraphqlConnection<CommentNode>;
  delegate: { name: string } | null;
  lease: { fence: number; expiresAt: string; holder: { name: string } } | null;
  sessionLinks: { nodes: { kinds: string[]; session: { id: string } }[] };
  relations: { nodes: { type: string; relatedIssue: RelatedNode }[] };
  inverseRelations: { nodes: { type: string; issue: RelatedNode }[] };
}

interface RelatedNode {
  identifier: string;
  title: string;
  state: { name: string };
}

interface CommentNode {
  id: string;
  body: string;
  createdAt: string;
  parentId: string | null;
  user: { name: string } | null;
  /** Author in the system that the comment was imported from. */
  externalUser: { name: string } | null;
}

/** Returns an issue with all fields and its newest comments. */
export const getIssue = defineTool({
  name: "get_issue",
  title: "Get issue",
  description:
    "Show one issue with its description, sub-issues, blockers, lease holder and newest 20 comments; pass cursor for older comments.",
  toolset: "core",
  annotations: ANNOTATIONS.reads,
  inputSchema: z.strictObject({
    issue: z.string().describe("identifier (ENG-12) or id"),
    cursor: z.string().optional(),
    handover: z.boolean().default(false).describe("with the record of earlier work on it"),
  }),
  outputSchema: z.object({ issue, ...PAGE_RESULT_SCHEMAS }),
  async handler(args, { graphql }) {
    const variables = { id: args.issue, first: COMMENTS, after: args.cursor, handover: args.handover };
    const { issue: node } = await graphql<{ issue: Detail }>(ISSUE_DOCUMENTS.get, variables);
    const { rows, rest } = toPage(node.comments, toComment);
    return { issue: { ...toIssue(node), comments: toNonEmptyList(rows) }, ...rest };
  },
});

function toIssue(node: Detail): z.input<typeof issue> {
  return {
    ...toIssueRow(node),
    team: node.team.key,
    description: toNonEmptyText(node.description),
    cycle: node.cycle ? (node.cycle.name ?? String(node.cycle.number)) : undefined,
    milestone: node.projectMilestone?.name,
    estimate: node.estimate ?? undefined,
    parent: node.parent ? { id: node.parent.identifier, title: node.parent.title } : undefined,
    children: toNonEmptyList(node.children.nodes.map(toRelated)),
    ...workOf(node),
    sessions: toNonEmptyList(node.sessionLinks.nodes.map(({ kinds, session }) => ({ id: session.id, kinds }))),
    creator: (node.creator ?? node.externalUserCreator)?.name,
    created: node.createdAt,
    updated: node.updatedAt,
    handover: toNonEmptyText(node.handover ?? null),
    archived: node.archivedAt ? true : undefined,
    trashed: node.trashed || undefined,
  };
}

const toRelated = ({ identifier, title, state }: RelatedNode) => ({ id: identifier, title, state: state.name });

/** Returns the holder, the blockers and the relations of an issue. */
function workOf({ delegate, lease, relations, inverseRelations }: Detail) {
  const from = relations.nodes.map(({ type, relatedIssue }) => ({ type, ...toRelated(relatedIssue) }));
  const to = inverseRelations.nodes.map(({ type, issue: other }) => ({ type, ...toRelated(other) }));
  const blockers = to.filter(({ type }) => type === "blocks").map(({ type: _, ...other }) => other);
  const others = to
    .filter(({ type }) => type !== "blocks")
    .map((other) => ({ ...other, type: getOwnProperty(INVERSE, other.type) ?? other.type }));
  return {
    blocked_by: toNonEmptyList(blockers),
    relations: toNonEmptyList([...from, ...others]),
    delegate: delegate?.name,
    holder: lease?.holder.name,
    fence: lease?.fence,
    lease_until: lease?.expiresAt,
  };
}

/** Names of relation types as seen from the related issue. */
const INVERSE: Readonly<Record<string, string>> = { duplicate: "duplicated_by", discovered: "led_to" };

function toComment(node: CommentNode): z.input<typeof comment> {
  return {
    id: node.id,
    author: (node.user ?? node.externalUser)?.name,
    at: node.createdAt,
    reply_to: node.parentId ?? undefined,
    body: node.body,
  };
}
