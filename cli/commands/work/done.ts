import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { type Fenced, fenced, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { textOrStdin } from "../../stdin.ts";
import { worker } from "../../work/caller.ts";
import { fenceToEnd, guarded } from "../../work/fence.ts";
import { issueLine, issueRow, type RowNode } from "../../work/issue.ts";
import { findNames, stateOf } from "../../work/names.ts";

type Options = Fenced & { message?: string; state?: string };

const AFTER = `
Refused with exit code 4 when the claim is lost, or when somebody else holds the issue.
Examples:
  trackway done ENG-12 --message "Fixed the off-by-one in the parser; a test holds it."
  trackway done ENG-12 --message - < summary.md
`;

/** `trackway done`: completes an issue. */
export const doneCommand = (): Command =>
  withJson(fenced(new Command("done").description("close an issue as completed, saying what was done")))
    .argument("<issue>", "identifier such as ENG-12, or id")
    .option("-m, --message <text>", "what was done, kept as a comment; - reads standard input")
    .option("--state <name>", "a completed state of the team; by default its first")
    .addHelpText("after", AFTER)
    .action(run);

async function run(id: string, { message, state, ...options }: Options): Promise<void> {
  const who = await worker();
  const comment = message === undefined ? undefined : await textOrStdin(message);
  const stateId = state === undefined ? undefined : stateOf((await findNames(who, { issue: id })).team, state);
  const fence = await fenceToEnd(who, id, options);
  const asked = who.ask<{ issueComplete: { issue: RowNode } }>(ISSUE.complete, { id, fence, comment, stateId });
  const { issue } = (await guarded(id, fence, asked)).issueComplete;
  await who.fences.forget(id);
  answer(options.json, { issue: issueRow(issue) }, () => [`Done: ${issueLine(issue)}`]);
}
