import type { GraphqlClient } from "../api/graphql.ts";
import { WORK } from "../documents/work.ts";
import { ToolError } from "../errors.ts";

interface Held {
  issue: {
    identifier: string;
    lease: { fence: number; sessionId: string | null; holder: { name: string; isMe: boolean } } | null;
  };
}

/**
 * The fence to write with: the one given, or that of the lease that the caller holds without a session; none where nobody
 * holds the issue. Agents may share a key: whoever holds it in a session shows so by the fence.
 * @throws ToolError naming who else holds it
 */
export async function fenceOf(
  graphql: GraphqlClient,
  id: string,
  given: number | undefined,
): Promise<number | undefined> {
  if (given !== undefined) return given;
  const { lease, identifier } = (await graphql<Held>(WORK.holder, { id })).issue;
  if (!lease) return undefined;
  const { holder, sessionId, fence } = lease;
  if (holder.isMe && sessionId === null) return fence;
  const held = `${holder.name} holds ${identifier}${sessionId === null ? "" : ` in session ${sessionId}`}`;
  const own = "If that is your session, claim_issue with its session_id answers the fence to pass; else take";
  throw new ToolError(`${held}. ${holder.isMe ? own : "Take"} another with next_issue.`);
}
