import { z } from "zod";
import { WORK_DOCUMENTS } from "../../documents/work.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";

interface Data {
  issueRelationCreate: {
    issueRelation: { type: string; issue: { identifier: string }; relatedIssue: { identifier: string } };
  };
}

/** Types of relations. `blocked_by` is `blocks` seen from the related issue. */
const LINK_TYPES = ["blocks", "blocked_by", "duplicate", "related", "similar", "discovered"] as const;

/** Creates a relation between two issues. */
export const linkIssues = defineTool({
  name: "link_issues",
  title: "Link issues",
  description: "Relate two issues. discovered: issue was found while working on to.",
  toolset: "work",
  annotations: { ...ANNOTATIONS.adds, idempotentHint: true },
  inputSchema: z.strictObject({
    issue: z.string(),
    type: z.enum(LINK_TYPES),
    to: z.string(),
  }),
  outputSchema: z.object({ relation: z.object({ issue: z.string(), type: z.string(), to: z.string() }) }),
  async handler({ issue, type, to }, { graphql }) {
    const input =
      type === "blocked_by"
        ? { type: "blocks", issueId: to, relatedIssueId: issue }
        : { type, issueId: issue, relatedIssueId: to };
    const { issueRelation: made } = (
      await graphql<Data>(WORK_DOCUMENTS.link, { input }).catch((error) => {
        throw type === "blocked_by" ? turned(error) : error;
      })
    ).issueRelationCreate;
    return { relation: { issue: made.issue.identifier, type: made.type, to: made.relatedIssue.identifier } };
  },
});

/**
 * Swaps `issueId` and `relatedIssueId` in an error message, because the relation was sent to the server in the opposite
 * direction.
 */
function turned(error: unknown): unknown {
  if (!(error instanceof ToolError)) return error;
  const other = (name: string) => (name === "issueId" ? "relatedIssueId" : "issueId");
  error.message = error.message.replace(/\b(?:issueId|relatedIssueId)\b/g, other);
  return error;
}

interface RelationNode {
  id: string;
  type: string;
}

interface Linked {
  issue: {
    identifier: string;
    relations: { nodes: RelationNode[] };
    inverseRelations: { nodes: RelationNode[] };
  };
  other: { identifier: string };
}

/** Symmetric relations. */
const MUTUAL = ["related", "similar"];

/** Removes a relation between two issues. */
export const unlinkIssues = defineTool({
  name: "unlink_issues",
  title: "Unlink issues",
  description: "Remove all relations between two issues, or only one type.",
  toolset: "work",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({ issue: z.string(), type: z.enum(LINK_TYPES).optional(), to: z.string() }),
  outputSchema: z.object({ removed: z.array(z.object({ issue: z.string(), type: z.string(), to: z.string() })) }),
  async handler({ issue: id, type, to }, { graphql }) {
    const { issue, other } = await graphql<Linked>(WORK_DOCUMENTS.linked, { id, to, other: to });
    const ends = { issue: issue.identifier, to: other.identifier };
    const isMeant = (name: string, inverse: boolean) =>
      type === undefined ||
      (type === "blocked_by" ? inverse && name === "blocks" : name === type && (!inverse || MUTUAL.includes(name)));
    const found = [
      ...issue.relations.nodes.filter((each) => isMeant(each.type, false)).map((each) => ({ ...ends, ...each })),
      ...issue.inverseRelations.nodes
        .filter((each) => isMeant(each.type, true))
        .map((each) => ({ issue: ends.to, to: ends.issue, ...each })),
    ];
    if (found.length === 0) throw new ToolError(nothing(ends, type));
    for (const relation of found) await graphql(WORK_DOCUMENTS.unlink, { id: relation.id });
    return { removed: found.map(({ id: _, ...relation }) => relation) };
  },
});

const nothing = ({ issue, to }: { issue: string; to: string }, type: string | undefined): string =>
  `${issue} and ${to} have no relation${type ? ` of the type ${type}` : ""}. See get_issue for those that there are.`;
