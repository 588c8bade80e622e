import { z } from "zod";

/** Names of priorities. The index of a name in this list is the priority's number in the API. */
export const PRIORITIES = ["none", "urgent", "high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Returns the number of a priority in the API. */
export const toPriorityNumber = (name: Priority) => PRIORITIES.indexOf(name);

/** Returns the name of a priority; undefined for "none", because results omit this value. */
export const toPriorityName = (number: number): Priority | undefined => (number > 0 ? PRIORITIES[number] : undefined);

/** Returns the text; undefined for an empty text. */
export const toNonEmptyText = (value: string | null | undefined) => value || undefined;

/** Returns the names of nodes; undefined for an empty list. */
export const listNodeNames = (nodes: { name: string }[] | undefined) =>
  nodes?.length ? nodes.map(({ name }) => name) : undefined;

/** Returns the list; undefined for an empty list. */
export const toNonEmptyList = <Item>(items: Item[]) => (items.length > 0 ? items : undefined);

/** Shortens a text to a maximum number of characters, with an ellipsis at the cut. */
export const truncate = (value: string | null | undefined, most: number) =>
  value && value.length > most ? `${value.slice(0, most - 1)}…` : toNonEmptyText(value);

/** Schema of an issue in the results of tools that list or write issues. Empty members are omitted. */
export const issueRowSchema = z.object({
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

/**
 * An issue with the fields of the GraphQL fragment `Row`. `url` is present only if the document also requests the URL,
 * as documents that write an issue do.
 */
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

/** Converts an issue from GraphQL to a row of a tool result. */
export function toIssueRow(node: IssueNode): z.input<typeof issueRowSchema> {
  return {
    id: node.identifier,
    title: node.title,
    state: node.state.name,
    priority: toPriorityName(node.priority),
    assignee: node.assignee?.name,
    project: node.project?.name,
    labels: listNodeNames(node.labels?.nodes),
    due: toNonEmptyText(node.dueDate),
    url: node.url,
  };
}

/** Page of a list, with the fields that GraphQL documents for lists request. */
export interface GraphqlConnection<Node> {
  edges: { cursor: string; node: Node }[];
  pageInfo: { hasNextPage: boolean };
}

/** Paging arguments of every list. */
export const PAGE_ARGUMENT_SCHEMAS = {
  limit: z.int().min(1).max(100).default(25),
  cursor: z.string().optional(),
};

/** Schema of the paging members in the result of every list tool. */
export const PAGE_RESULT_SCHEMAS = { next_cursor: z.string().optional(), truncated: z.boolean().optional() };

/**
 * Maximum length of all rows of a page together, in characters of JSON. A result may have 40,000 characters; the
 * remaining 1,000 are for the other members of the result.
 */
const MAX_PAGE_CHARACTERS = 39_000;

/**
 * Converts the nodes of a page to rows. Returns the rows and the cursor of the next page. If the rows are too long for
 * one result, the page ends early and `truncated` is true.
 */
export function toPage<Node, Row>({ edges, pageInfo }: GraphqlConnection<Node>, toRow: (node: Node) => Row) {
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

/** Maximum length of a result as JSON, in characters: about 10,000 tokens. */
const MAX_CHARACTERS = 40_000;

type Json = Record<string, unknown>;

/**
 * Returns the result and its JSON text. If the JSON text is too long, shortens the longest texts and sets `truncated`
 * to true.
 */
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
