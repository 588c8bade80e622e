import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { type Fenced, fenced, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { textOrStdin } from "../../stdin.ts";
import { worker } from "../../work/caller.ts";
import { fenceFor, guarded } from "../../work/fence.ts";

interface Made {
  commentCreate: { comment: { id: string; createdAt: string; issue: { identifier: string } } };
}

const AFTER = `
Examples:
  trackway comment ENG-12 "It happens on Linux alone."
  git diff --stat | trackway comment ENG-12 -
`;

/** `trackway comment`: says something about an issue. */
export const commentCommand = (): Command =>
  withJson(fenced(new Command("comment").description("say something about an issue, such as how the work goes")))
    .argument("<issue>", "identifier such as ENG-12, or id")
    .argument("<text>", "in Markdown; - reads standard input")
    .addHelpText("after", AFTER)
    .action(run);

async function run(id: string, text: string, options: Fenced): Promise<void> {
  const who = await worker();
  const body = await textOrStdin(text);
  const fence = await fenceFor(who, id, options);
  const input = { issueId: id, body, ...(fence !== undefined && { fence }) };
  const { comment } = (await guarded(id, fence, who.ask<Made>(ISSUE.comment, { input }))).commentCreate;
  const { identifier } = comment.issue;
  answer(options.json, { comment: { id: comment.id, issue: identifier, at: comment.createdAt } }, () => [
    `Commented on ${identifier}.`,
  ]);
}
