import { z } from "zod";
import type { GraphqlClient } from "../../api/graphql.ts";
import { lookUpNames, nameResolver } from "../../arguments/names.ts";
import { WORK } from "../../documents/work.ts";
import { NotFound, ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { type IssueNode, issueRow, nonEmpty, nonEmptyList, toIssueRow } from "../../results.ts";

/** An issue to work on, with what has to be given back to finish it. */
const takenIssue = issueRow.extend({
  description: z.string().optional(),
  fence: z.number().optional(),
  lease_until: z.string().optional(),
  proof_commands: z.array(z.string()).optional(),
  handover: z.string().optional(),
  changed_now: z
    .array(z.object({ path: z.string(), holder: z.string(), issue: z.string(), at: z.string() }))
    .optional(),
});

/** The answer of a claim, or of asking for the next issue. */
interface Taken {
  issue: IssueNode & {
    description: string | null;
    team: { proof: { commands: string[] } | null };
    handover: string | null;
    concurrentChanges: { path: string; createdAt: string; holder: { name: string }; issue: { identifier: string } }[];
  };
  lease?: { fence: number; expiresAt: string } | null;
}

/** The result of taking an issue: with the commands that prove it, and a hint where there is a record of earlier work. */
const toTaken = ({ issue, lease }: Taken): z.input<typeof takenIssue> => ({
  ...toIssueRow(issue),
  description: nonEmpty(issue.description),
  fence: lease?.fence,
  lease_until: lease?.expiresAt,
  proof_commands: nonEmptyList(issue.team.proof?.commands ?? []),
  handover: issue.handover === null ? undefined : "get_issue with handover: true shows what was done before",
  changed_now: nonEmptyList(
    issue.concurrentChanges.map(({ path, createdAt, holder, issue: other }) => ({
      ...{ path, holder: holder.name, issue: other.identifier, at: createdAt },
    })),
  ),
});

/** The best issue that is ready, claimed by default. */
export const nextIssue = defineTool({
  name: "next_issue",
  title: "Next issue",
  description: "Take the best ready issue: unblocked, unheld, urgent first. claim: false only shows it.",
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
      const taken = graphql<{ issueClaim: Taken }>(WORK.claim, { input });
      const { issueClaim } = await taken.catch((error) => {
        throw error instanceof NotFound ? nothingReady(args) : error;
      });
      return { issue: toTaken(issueClaim) };
    }
    const { readyIssues } = await graphql<{ readyIssues: { nodes: Taken["issue"][] } }>(WORK.next, { filter });
    const [issue] = readyIssues.nodes;
    if (!issue) throw nothingReady(args);
    return { issue: toTaken({ issue }) };
  },
});

/** The team and labels to take an issue of, as the call names them. */
interface Place {
  team?: string | undefined;
  labels?: string[] | undefined;
}

/** The filter that a team and labels mean, by their ids, which the index of ready issues knows. @throws ToolError */
async function workFilter(graphql: GraphqlClient, args: Place) {
  const named = { team: args.team, labels: args.labels };
  const found = await lookUpNames(graphql, named);
  const resolve = nameResolver(graphql, named, found);
  const team = args.team === undefined ? undefined : (await resolve.team()).id;
  const labels = await resolve.labels(team, args.labels ?? []);
  return {
    ...(team && { team: { id: { eq: team } } }),
    ...(labels.length > 0 && { and: labels.map(({ id }) => ({ labels: { some: { id: { eq: id } } } })) }),
  };
}

/** Says so in the words of the call. */
function nothingReady({ team, labels = [] }: Place): ToolError {
  const where = team === undefined ? "" : ` in team "${team}"`;
  const which = labels.length === 0 ? "" : ` with ${labels.map((label) => `"${label}"`).join(" and ")}`;
  return new ToolError(
    `Nothing is ready${where}${which}. See list_issues with state: open for what is blocked or held.`,
  );
}

/** Takes one issue by name. */
export const claimIssue = defineTool({
  name: "claim_issue",
  title: "Claim issue",
  description: "Take this issue to work on. Pass the fence it answers to finish or release.",
  toolset: "work",
  annotations: { ...ANNOTATIONS.adds, idempotentHint: true },
  inputSchema: z.strictObject({ issue: z.string(), session_id: z.string().optional() }),
  outputSchema: z.object({ issue: takenIssue }),
  async handler({ issue, session_id: sessionId }, { graphql }) {
    const input = { id: issue, sessionId };
    const { issueClaim } = await graphql<{ issueClaim: Taken }>(WORK.claim, { input });
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
 * The fence to write with: the one given, or that of the lease that the caller holds without a session; none where nobody
 * holds the issue. Agents may share a key: whoever holds it in a session shows so by the fence.
 * @throws ToolError naming who else holds it
 */
async function fenceOf(graphql: GraphqlClient, id: string, given: number | undefined): Promise<number | undefined> {
  if (given !== undefined) return given;
  const { lease, identifier } = (await graphql<Held>(WORK.holder, { id })).issue;
  if (!lease) return undefined;
  const { holder, sessionId, fence } = lease;
  if (holder.isMe && sessionId === null) return fence;
  const held = `${holder.name} holds ${identifier}${sessionId === null ? "" : ` in session ${sessionId}`}`;
  const own = "If that is your session, claim_issue with its session_id answers the fence to pass; else take";
  throw new ToolError(`${held}. ${holder.isMe ? own : "Take"} another with next_issue.`);
}

/** The verdict of the record, where the team demands a proof. */
const proof = z.object({ verdict: z.string(), reason: z.string() });

interface Completed {
  issue: IssueNode;
  proof: z.infer<typeof proof> | null;
}

/** Completes an issue, saying what was done. */
export const finishIssue = defineTool({
  name: "finish_issue",
  title: "Finish issue",
  description: "Complete an issue, with a comment that says what was done.",
  toolset: "work",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({ issue: z.string(), summary: z.string().min(1), fence: z.int().optional() }),
  outputSchema: z.object({ issue: issueRow, proof: proof.optional() }),
  async handler({ issue: id, summary: comment, fence }, { graphql }) {
    const variables = { id, comment, fence: await fenceOf(graphql, id, fence) };
    const { issueComplete } = await graphql<{ issueComplete: Completed }>(WORK.complete, variables);
    return { issue: toIssueRow(issueComplete.issue), proof: issueComplete.proof ?? undefined };
  },
});

/** Gives an issue back unfinished. */
export const releaseIssue = defineTool({
  name: "release_issue",
  title: "Release issue",
  description: "Give an issue back unfinished.",
  toolset: "work",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({ issue: z.string(), comment: z.string().optional(), fence: z.int().optional() }),
  outputSchema: z.object({ issue: issueRow }),
  async handler({ issue: id, comment, fence }, { graphql }) {
    const variables = { id, comment, fence: await fenceOf(graphql, id, fence) };
    const { issueRelease } = await graphql<{ issueRelease: { issue: IssueNode } }>(WORK.release, variables);
    return { issue: toIssueRow(issueRelease.issue) };
  },
});
