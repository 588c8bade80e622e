import { oneLine } from "../output/safe.ts";

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
