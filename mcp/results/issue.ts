import { z } from "zod";
import { nodeNames, nonEmpty, PRIORITIES, priorityName } from "./format.ts";

/** An issue as lists and writes answer it; what is empty is left out. */
export const issueRow = z.object({
  id: z.string(),
  title: z.string(),
  state: z.string(),
  priority: z.enum(PRIORITIES).optional(),
  assignee: z.string().optional(),
  project: z.string().optional(),
  labels: z.array(z.string()).optional(),
  due: z.string().optional(),
  url: z.string().optional(),
});

/** The fragment `Row`, and what writes ask for beside it. */
export interface IssueNode {
  identifier: string;
  title: string;
  priority: number;
  dueDate: string | null;
  state: { name: string };
  assignee: { name: string } | null;
  project: { name: string } | null;
  labels?: { nodes: { name: string }[] };
  url?: string;
}

/** The row of an issue. */
export function toIssueRow(node: IssueNode): z.input<typeof issueRow> {
  return {
    id: node.identifier,
    title: node.title,
    state: node.state.name,
    priority: priorityName(node.priority),
    assignee: node.assignee?.name,
    project: node.project?.name,
    labels: nodeNames(node.labels?.nodes),
    due: nonEmpty(node.dueDate),
    url: node.url,
  };
}
