import { z } from "zod";

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
const MAX_CHARACTERS = 39_000;

/** Rows of one page and where the next begins; ends early, and says so, when the rows grow too long for a result. */
export function toPage<Node, Row>({ edges, pageInfo }: Connection<Node>, toRow: (node: Node) => Row) {
  const rows: Row[] = [];
  let characters = 0;
  for (const { node } of edges) {
    const row = toRow(node);
    characters += JSON.stringify(row).length + 1;
    if (characters > MAX_CHARACTERS && rows.length > 0) break;
    rows.push(row);
  }
  const truncated = rows.length < edges.length;
  const more = truncated || pageInfo.hasNextPage;
  return {
    rows,
    rest: { next_cursor: more ? edges[rows.length - 1]?.cursor : undefined, truncated: truncated || undefined },
  };
}
