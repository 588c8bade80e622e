import { z } from "zod";
import { WORK } from "../../documents/work.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { LINK_TYPES } from "./link-issues.ts";

interface RelationNode {
  id: string;
  type: string;
}

interface Data {
  issue: {
    identifier: string;
    relations: { nodes: RelationNode[] };
    inverseRelations: { nodes: RelationNode[] };
  };
  other: { identifier: string };
}

/** Relations that say the same from both ends. */
const MUTUAL = ["related", "similar"];

/** Removes what one issue is to another. */
export const unlinkIssues = defineTool({
  name: "unlink_issues",
  title: "Unlink issues",
  description: "Remove the relations of two issues, or those of one type.",
  toolset: "work",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({ issue: z.string(), type: z.enum(LINK_TYPES).optional(), to: z.string() }),
  outputSchema: z.object({ removed: z.array(z.object({ issue: z.string(), type: z.string(), to: z.string() })) }),
  async handler({ issue: id, type, to }, { graphql }) {
    const { issue, other } = await graphql<Data>(WORK.linked, { id, to, other: to });
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
    for (const relation of found) await graphql(WORK.unlink, { id: relation.id });
    return { removed: found.map(({ id: _, ...relation }) => relation) };
  },
});

const nothing = ({ issue, to }: { issue: string; to: string }, type: string | undefined): string =>
  `${issue} and ${to} have no relation${type ? ` of the type ${type}` : ""}. See get_issue for those that there are.`;
