import { z } from "zod";

/** The priorities in words, by their number. */
export const PRIORITIES = ["none", "urgent", "high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** The number the API has for a priority. */
export const priorityNumber = (name: Priority) => PRIORITIES.indexOf(name);

/** The name of a priority; undefined for "none", which results leave out. */
export const priorityName = (number: number): Priority | undefined => (number > 0 ? PRIORITIES[number] : undefined);

/** A text, unless it is empty. */
export const nonEmpty = (value: string | null | undefined) => value || undefined;

/** The names of some nodes, unless there are none. */
export const nodeNames = (nodes: { name: string }[] | undefined) =>
  nodes?.length ? nodes.map(({ name }) => name) : undefined;

/** A list, unless it is empty. */
export const nonEmptyList = <Item>(items: Item[]) => (items.length > 0 ? items : undefined);

/** At most so many characters, with an ellipsis where it was cut. */
export const truncate = (value: string | null | undefined, most: number) =>
  value && value.length > most ? `${value.slice(0, most - 1)}…` : nonEmpty(value);

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

/** A connection as list documents ask for it. */
export interface Connection<Node> {
  edges: { cursor: string; node: Node }[];
  pageInfo: { hasNextPage: boolean };
}

/** The arguments every list takes. */
export const PAGE_ARGUMENTS = {
  limit: z.int().min(1).max(100).default(25),
  cursor: z.string().optional(),
};

/** The members every list answers beside its rows. */
export const PAGE_RESULT = { next_cursor: z.string().optional(), truncated: z.boolean().optional() };

/** Leaves room for the members around the rows within the 40,000 characters of a result. */
const MAX_PAGE_CHARACTERS = 39_000;

/** Rows of one page and where the next begins; ends early, and says so, when the rows grow too long for a result. */
export function toPage<Node, Row>({ edges, pageInfo }: Connection<Node>, toRow: (node: Node) => Row) {
  const rows: Row[] = [];
  let characters = 0;
  for (const { node } of edges) {
    const row = toRow(node);
    characters += JSON.stringify(row).length + 1;
    if (characters > MAX_PAGE_CHARACTERS && rows.length > 0) break;
    rows.push(row);
  }
  const truncated = rows.length < edges.length;
  const more = truncated || pageInfo.hasNextPage;
  return {
    rows,
    rest: { next_cursor: more ? edges[rows.length - 1]?.cursor : undefined, truncated: truncated || undefined },
  };
}

/** The most characters a result has as JSON: about 10,000 tokens. */
const MAX_CHARACTERS = 40_000;

type Json = Record<string, unknown>;

/** The result as it is, or with its longest texts cut and `truncated: true` when it would be too long. */
export function limitSize(result: Json): { result: Json; json: string } {
  const json = JSON.stringify(result);
  if (json.length <= MAX_CHARACTERS) return { result, json };
  for (let longest = MAX_CHARACTERS / 2; longest >= 64; longest /= 2) {
    const truncated = { ...(cutTexts(result, longest) as Json), truncated: true };
    const shorter = JSON.stringify(truncated);
    if (shorter.length <= MAX_CHARACTERS) return { result: truncated, json: shorter };
  }
  throw new Error("a result has too many parts to be cut to size");
}

function cutTexts(value: unknown, longest: number): unknown {
  if (typeof value === "string") return value.length > longest ? `${value.slice(0, longest)}…` : value;
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, longest));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutTexts(item, longest)]));
}
