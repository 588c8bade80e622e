import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { type Fenced, fenced, withJson } from "../../options.ts";
import { textOrStdin } from "../../stdin.ts";
import { worker } from "../../work/caller.ts";
import { fenceToEnd, guarded } from "../../work/fence.ts";
import { issueLine, issueRow, type RowNode } from "../../work/issue.ts";
import { checkFence, forEachIssue, ofIssues } from "../../work/issues.ts";

const AFTER = `
The issue goes back to the state it had, and is ready for others. --force ends what somebody else holds; the log says who did.
Example:
  trackway release ENG-12 --message "Needs access to the production logs."
`;

/** `trackway release`: gives issues back unfinished. */
export const releaseCommand = (): Command =>
  withJson(fenced(ofIssues(new Command("release").description("give claimed issues back unfinished"))))
    .option("-m, --message <text>", "why, kept as a comment; - reads standard input")
    .addHelpText("after", AFTER)
    .action(run);

async function run(ids: string[], { message, ...options }: Fenced & { message?: string }): Promise<void> {
  checkFence(ids, options);
  const who = await worker();
  const comment = message === undefined ? undefined : await textOrStdin(message);
  await forEachIssue(ids, options.json, async (id) => {
    const fence = await fenceToEnd(who, id, options);
    const asked = who.ask<{ issueRelease: { issue: RowNode } }>(ISSUE.release, { id, fence, comment });
    const { issue } = (await guarded(id, fence, asked)).issueRelease;
    await who.fences.forget(id);
    return { row: issueRow(issue), line: `Released ${issueLine(issue)}` };
  });
}
