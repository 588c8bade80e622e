import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { type Fenced, fenced, withJson } from "../../options.ts";
import { textOrStdin } from "../../stdin.ts";
import { worker } from "../../work/caller.ts";
import { fenceToEnd, guarded } from "../../work/fence.ts";
import { issueLine, issueRow, type RowNode } from "../../work/issue.ts";
import { checkFence, forEachIssue, ofIssues } from "../../work/issues.ts";
import { findNames, stateOf } from "../../work/names.ts";

type Options = Fenced & { message?: string; state?: string };

const AFTER = `
Refused with exit code 4 when the claim is lost, or when somebody else holds the issue.
Examples:
  trackway done ENG-12 --message "Fixed the off-by-one in the parser; a test holds it."
  trackway done ENG-12 --message - < summary.md
  trackway done ENG-12 ENG-9
`;

/** `trackway done`: completes issues. */
export const doneCommand = (): Command => completing("done", "close issues as completed, saying what was done");

/** `trackway close`: the same, as people call it. */
export const closeCommand = (): Command => completing("close", "the same as done, as other trackers call it");

const completing = (name: string, description: string): Command =>
  withJson(fenced(ofIssues(new Command(name).description(description))))
    .option("-m, --message <text>", "what was done, kept as a comment; - reads standard input")
    .option("--state <name>", "a completed state of the team; by default its first")
    .addHelpText("after", AFTER.replaceAll("trackway done", `trackway ${name}`))
    .action(run);

async function run(ids: string[], { message, state, ...options }: Options): Promise<void> {
  checkFence(ids, options);
  const who = await worker();
  const comment = message === undefined ? undefined : await textOrStdin(message);
  await forEachIssue(ids, options.json, async (id) => {
    const stateId = state === undefined ? undefined : stateOf((await findNames(who, { issue: id })).team, state);
    const fence = await fenceToEnd(who, id, options);
    const asked = who.ask<{ issueComplete: { issue: RowNode } }>(ISSUE.complete, { id, fence, comment, stateId });
    const { issue } = (await guarded(id, fence, asked)).issueComplete;
    await who.fences.forget(id);
    return { row: issueRow(issue), line: `Done: ${issueLine(issue)}` };
  });
}
