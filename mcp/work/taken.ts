import { z } from "zod";
import { nonEmpty } from "../results/format.ts";
import { type IssueNode, issueRow, toIssueRow } from "../results/issue.ts";

/** An issue to work on, with what has to be given back to finish it. */
export const takenIssue = issueRow.extend({
  description: z.string().optional(),
  fence: z.number().optional(),
  lease_until: z.string().optional(),
});

/** The answer of a claim, or of asking for the next issue. */
export interface Taken {
  issue: IssueNode & { description: string | null };
  lease?: { fence: number; expiresAt: string } | null;
}

/** The result of taking an issue. */
export const toTaken = ({ issue, lease }: Taken): z.input<typeof takenIssue> => ({
  ...toIssueRow(issue),
  description: nonEmpty(issue.description),
  fence: lease?.fence,
  lease_until: lease?.expiresAt,
});
