import { z } from "zod";
import { nonEmpty, nonEmptyList } from "../results/format.ts";
import { type IssueNode, issueRow, toIssueRow } from "../results/issue.ts";

/** An issue to work on, with what has to be given back to finish it. */
export const takenIssue = issueRow.extend({
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
export interface Taken {
  issue: IssueNode & {
    description: string | null;
    team: { proof: { commands: string[] } | null };
    handover: string | null;
    concurrentChanges: { path: string; createdAt: string; holder: { name: string }; issue: { identifier: string } }[];
  };
  lease?: { fence: number; expiresAt: string } | null;
}

/** The result of taking an issue: with the commands that prove it, and a hint where there is a record of earlier work. */
export const toTaken = ({ issue, lease }: Taken): z.input<typeof takenIssue> => ({
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
