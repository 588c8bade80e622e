import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { type Fenced, fenced, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { textOrStdin } from "../../stdin.ts";
import { worker } from "../../work/caller.ts";
import { fenceToEnd, guarded } from "../../work/fence.ts";
import { issueLine, issueRow, type RowNode } from "../../work/issue.ts";

const AFTER = `
The issue goes back to the state it had, and is ready for others. --force ends what somebody else holds; the log says who did.
Example:
  trackway release ENG-12 --message "Needs access to the production logs."
`;

/** `trackway release`: gives an issue back unfinished. */
export const releaseCommand = (): Command =>
  withJson(fenced(new Command("release").description("give a claimed issue back unfinished")))
    .argument("<issue>", "identifier such as ENG-12, or id")
    .option("-m, --message <text>", "why, kept as a comment; - reads standard input")
    .addHelpText("after", AFTER)
    .action(run);

async function run(id: string, { message, ...options }: Fenced & { message?: string }): Promise<void> {
  const who = await worker();
  const comment = message === undefined ? undefined : await textOrStdin(message);
  const fence = await fenceToEnd(who, id, options);
  const asked = who.ask<{ issueRelease: { issue: RowNode } }>(ISSUE.release, { id, fence, comment });
  const { issue } = (await guarded(id, fence, asked)).issueRelease;
  await who.fences.forget(id);
  answer(options.json, { issue: issueRow(issue) }, () => [`Released ${issueLine(issue)}`]);
}
