import { ISSUE } from "../api/documents.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Fenced } from "../options.ts";
import { ofIssue, type Worker } from "./caller.ts";
import type { LeaseNode } from "./detail.ts";

/** The fence to write with: the one given, else the one remembered; none when forced, or where none was claimed here. */
export async function fenceFor(
  { fences }: Worker,
  issue: string,
  { fence, force }: Fenced,
): Promise<number | undefined> {
  if (force) return undefined;
  return fence ?? (await fences.recall(issue));
}

/**
 * The fence with which to end work on an issue: as above, else that of the caller's own lease, which was claimed elsewhere
 * in the same session.
 * @throws Failure naming who else holds it: their work is not ended by mistake
 */
export async function fenceToEnd(
  who: Worker,
  issue: string,
  options: Fenced & { session?: string },
): Promise<number | undefined> {
  const known = await fenceFor(who, issue, options);
  if (known !== undefined || options.force) return known;
  const asked = who.ask<{ issue: { identifier: string; lease: LeaseNode | null } }>(ISSUE.holder, { id: issue });
  const { identifier, lease } = (await ofIssue(issue, asked)).issue;
  const session = options.session ?? who.session;
  if (!lease || (lease.holder.isMe && lease.sessionId === session)) return lease?.fence;
  const where = lease.sessionId === null ? "" : ` in session ${lease.sessionId}`;
  throw new Failure(`${lease.holder.name} holds ${identifier}${where}.`, {
    exit: EXIT.conflict,
    cure: "trackway ready --claim for another, or --force to do it all the same",
  });
}

/** Says what to do about a fence that is stale. */
export async function guarded<T>(issue: string, fence: number | undefined, work: Promise<T>): Promise<T> {
  return ofIssue(issue, work).catch((error) => {
    if (!(error instanceof Failure) || error.exit !== EXIT.conflict || fence === undefined || error.cure) throw error;
    const cure = "trackway ready --claim for another, or --force to write as one who holds nothing";
    throw new Failure(error.message, { exit: EXIT.conflict, cure });
  });
}
