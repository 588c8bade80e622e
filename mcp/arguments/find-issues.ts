import type { GraphqlClient } from "../api/graphql.ts";
import { ISSUE } from "../documents/issue.ts";

/** An issue that was found by its identifier or id. */
export interface FoundIssue {
  id: string;
  identifier: string;
  previousIdentifiers: string[];
  team: { id: string; key: string };
}

/** Finds up to 50 issues in one request, each once; those that do not exist are answered as they were written. */
export async function findIssues(
  graphql: GraphqlClient,
  texts: string[],
): Promise<{ found: FoundIssue[]; missing: string[] }> {
  const ids = [...new Set(texts.map((text) => text.trim()))];
  const { issues } = await graphql<{ issues: { nodes: FoundIssue[] } }>(ISSUE.find, { ids });
  const namedBy = ({ id, identifier, previousIdentifiers }: FoundIssue) =>
    [id, identifier, ...previousIdentifiers].map((name) => name.toLowerCase());
  const known = new Set(issues.nodes.flatMap(namedBy));
  return { found: issues.nodes, missing: ids.filter((text) => !known.has(text.toLowerCase())) };
}
