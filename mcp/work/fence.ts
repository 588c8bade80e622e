import type { GraphqlClient } from "../api/graphql.ts";
import { WORK } from "../documents/work.ts";
import { ToolError } from "../errors.ts";

interface Held {
  issue: { identifier: string; lease: { fence: number; holder: { name: string; isMe: boolean } } | null };
}

/**
 * The fence to write with: the one given, or that of the lease that the caller holds; none where nobody holds the issue.
 * @throws ToolError naming who else holds it
 */
export async function fenceOf(
  graphql: GraphqlClient,
  id: string,
  given: number | undefined,
): Promise<number | undefined> {
  if (given !== undefined) return given;
  const { issue } = await graphql<Held>(WORK.holder, { id });
  if (!issue.lease || issue.lease.holder.isMe) return issue.lease?.fence;
  throw new ToolError(`${issue.lease.holder.name} holds ${issue.identifier}. Take another with next_issue.`);
}
