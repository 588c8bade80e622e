import { z } from "zod";
import type { GraphqlClient } from "../../api/graphql.ts";
import { createNameResolver, fetchNamedEntities } from "../../arguments/names.ts";
import { WORK_DOCUMENTS } from "../../documents/work.ts";
import { NotFoundError, ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type IssueNode, issueRowSchema, toIssueRow, toNonEmptyList, toNonEmptyText } from "../../results.ts";

/** Claimed issue, with the fence that the caller sends to finish the issue. */
const takenIssue = issueRowSchema.extend({
  description: z.string().optional(),
  fence: z.number().optional(),
  lease_until: z.string().optional(),
  proof_commands: z.array(z.string()).optional(),
  handover: z.string().optional(),
  changed_now: z
    .array(z.object({ path: z.string(), holder: z.string(), issue: z.string(), at: z.string() }))
    .optional(),
});

/** Response to a claim, or to the query for the next issue. */
interface Taken {
  issue: IssueNode & {
    description: string | null;
    team: { proof: { commands: string[] } | null };
    handover: string | null;
    concurrentChanges: { path: string; createdAt: string; holder: { name: string }; issue: { identifier: string } }[];
  };
  lease?: { fence: number; expiresAt: string } | null;
}

/**
 * Creates the result of a claim. Adds the commands that prove the issue, and a hint if a handover of earlier work
 * exists.
 */
const toTaken = ({ issue, lease }: Taken): z.input<typeof takenIssue> => ({
  ...toIssueRow(issue),
  description: toNonEmptyText(issue.description),
  fence: lease?.fence,
  lease_until: lease?.expiresAt,
  proof_commands: toNonEmptyList(issue.team.proof?.commands ?? []),
  handover: issue.handover === null ? undefined : "get_issue with handover: true shows what was done before",
  changed_now: toNonEmptyList(
    issue.concurrentChanges.map(({ path, createdAt, holder, issue: other }) => ({
      ...{ path, holder: holder.name, issue: other.identifier, at: createdAt },
    })),
  ),
});

/** Returns the first ready issue. Claims the issue by default. */
export const nextIssue = defineTool({
  name: "next_issue",
  title: "Next issue",
  description: "Claim the most urgent ready issue (unblocked, unclaimed). claim: false only shows it.",
  toolset: "work",
  annotations: ANNOTATIONS.adds,
  inputSchema: z.strictObject({
    team: z.string().optional(),
    labels: z.array(z.string()).max(10).optional(),
    claim: z.boolean().default(true),
    session_id: z.string().optional().describe("of your recorded session: its events keep the lease"),
  }),
  outputSchema: z.object({ issue: takenIssue }),
  async handler({ claim, session_id: sessionId, ...args }, { graphql }) {
    const filter = await workFilter(graphql, args);
    if (claim) {
      const input = { filter, sessionId };
      const taken = graphql<{ issueClaim: Taken }>(WORK_DOCUMENTS.claim, { input });
      const { issueClaim } = await taken.catch((error) => {
        throw error instanceof NotFoundError ? nothingReady(args) : error;
      });
      return { issue: toTaken(issueClaim) };
    }
    const { readyIssues } = await graphql<{ readyIssues: { nodes: Taken["issue"][] } }>(WORK_DOCUMENTS.next, {
      filter,
    });
    const [issue] = readyIssues.nodes;
    if (!issue) throw nothingReady(args);
    return { issue: toTaken({ issue }) };
  },
});

/** Team and labels that a ready issue must have, as named in the call. */
interface Place {
  team?: string | undefined;
  labels?: string[] | undefined;
}

/**
 * Creates the filter for ready issues. The filter contains the ids of the team and the labels, because the index of
 * ready issues contains ids. @throws ToolError
 */
async function workFilter(graphql: GraphqlClient, args: Place) {
  const named = { team: args.team, labels: args.labels };
  const found = await fetchNamedEntities(graphql, named);
  const resolve = createNameResolver(graphql, named, found);
  const team = args.team === undefined ? undefined : (await resolve.team()).id;
  const labels = await resolve.labels(team, args.labels ?? []);
  return {
    ...(team && { team: { id: { eq: team } } }),
    ...(labels.length > 0 && { and: labels.map(({ id }) => ({ labels: { some: { id: { eq: id } } } })) }),
  };
}

/** Creates the error that reports that no issue is ready. The message repeats the team and the labels of the call. */
function nothingReady({ team, labels = [] }: Place): ToolError {
  const where = team === undefined ? "" : ` in team "${team}"`;
  const which = labels.length === 0 ? "" : ` with ${labels.map((label) => `"${label}"`).join(" and ")}`;
  return new ToolError(
    `Nothing is ready${where}${which}. See list_issues with state: open for what is blocked or held.`,
  );
}

/** Claims an issue by its identifier. */
export const claimIssue = defineTool({
  name: "claim_issue",
  title: "Claim issue",
  description: "Claim an issue to work on. Pass the returned fence to finish or release.",
  toolset: "work",
  annotations: { ...ANNOTATIONS.adds, idempotentHint: true },
  inputSchema: z.strictObject({ issue: z.string(), session_id: z.string().optional() }),
  outputSchema: z.object({ issue: takenIssue }),
  async handler({ issue, session_id: sessionId }, { graphql }) {
    const input = { id: issue, sessionId };
    const { issueClaim } = await graphql<{ issueClaim: Taken }>(WORK_DOCUMENTS.claim, { input });
    return { issue: toTaken(issueClaim) };
  },
});

interface Held {
  issue: {
    identifier: string;
    lease: { fence: number; sessionId: string | null; holder: { name: string; isMe: boolean } } | null;
  };
}

/**
 * Returns the fence for a write: the fence in the call, else the fence of the caller's own lease if the lease belongs
 * to no session. Returns undefined if nobody holds the issue. Agents may share a key, so a holder whose lease belongs
 * to a session must send the fence.
 * @throws ToolError that names the other holder
 */
async function fenceOf(graphql: GraphqlClient, id: string, given: number | undefined): Promise<number | undefined> {
  if (given !== undefined) return given;
  const { lease, identifier } = (await graphql<Held>(WORK_DOCUMENTS.holder, { id })).issue;
  if (!lease) return undefined;
  const { holder, sessionId, fence } = lease;
  if (holder.isMe && sessionId === null) return fence;
  const held = `${holder.name} holds ${identifier}${sessionId === null ? "" : ` in session ${sessionId}`}`;
  const own = "If that is your session, call claim_issue with its session_id to get the fence; otherwise claim";
  throw new ToolError(`${held}. ${holder.isMe ? own : "Claim"} another with next_issue.`);
}

/** Schema of the verdict of the recorded sessions. A result contains the verdict only if the team requires a proof. */
const proof = z.object({ verdict: z.string(), reason: z.string() });

interface Completed {
  issue: IssueNode;
  proof: z.infer<typeof proof> | null;
}

/** Completes an issue with a comment about the work. */
export const finishIssue = defineTool({
  name: "finish_issue",
  title: "Finish issue",
  description: "Complete an issue, with a comment that says what was done.",
  toolset: "work",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({ issue: z.string(), summary: z.string().min(1), fence: z.int().optional() }),
  outputSchema: z.object({ issue: issueRowSchema, proof: proof.optional() }),
  async handler({ issue: id, summary: comment, fence }, { graphql }) {
    const variables = { id, comment, fence: await fenceOf(graphql, id, fence) };
    const { issueComplete } = await graphql<{ issueComplete: Completed }>(WORK_DOCUMENTS.complete, variables);
    return { issue: toIssueRow(issueComplete.issue), proof: issueComplete.proof ?? undefined };
  },
});

export const releaseIssue = defineTool({
  name: "release_issue",
  title: "Release issue",
  description: "Release an issue without completing.",
  toolset: "work",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({ issue: z.string(), comment: z.string().optional(), fence: z.int().optional() }),
  outputSchema: z.object({ issue: issueRowSchema }),
  async handler({ issue: id, comment, fence }, { graphql }) {
    const variables = { id, comment, fence: await fenceOf(graphql, id, fence) };
    const { issueRelease } = await graphql<{ issueRelease: { issue: IssueNode } }>(WORK_DOCUMENTS.release, variables);
    return { issue: toIssueRow(issueRelease.issue) };
  },
});
