import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { type Paged, paged, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { ofIssue, worker } from "../../work/caller.ts";
import {
  type CommentNode,
  commentLines,
  commentsOf,
  type DetailNode,
  detailLines,
  issueDetail,
} from "../../work/detail.ts";
import type { Page } from "../../work/issue.ts";
import { ofOneIssue } from "../../work/issues.ts";

const AFTER = `
--limit and --after page the comments, the newest of which come first.
Examples:
  trackway show ENG-12
  trackway show ENG-12 --limit 100 --json
`;

/** `trackway show`: one issue whole. */
export const showCommand = (): Command =>
  withJson(
    paged(ofOneIssue(new Command("show").description("show an issue: description, blockers, links, holder, comments"))),
  )
    .addHelpText("after", AFTER)
    .action(run);

async function run(id: string, { json, limit, after }: Paged): Promise<void> {
  const { ask } = await worker();
  const asked = ask<{ issue: DetailNode & { comments: Page<CommentNode> } }>(ISSUE.show, { id, first: limit, after });
  const { issue } = await ofIssue(id, asked);
  const comments = commentsOf(issue.comments);
  answer(json, { issue: issueDetail(issue), ...comments }, () => [...detailLines(issue), ...commentLines(comments)]);
}
