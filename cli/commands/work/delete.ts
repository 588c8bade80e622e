import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { Failure } from "../../failure.ts";
import { type Answering, withJson } from "../../options.ts";
import { askYes } from "../../prompt.ts";
import { ofIssue, worker } from "../../work/caller.ts";
import { issueLine, issueRow, type RowNode } from "../../work/issue.ts";
import { forEachIssue, ofIssues } from "../../work/issues.ts";

const AFTER = `
A deleted issue is in the trash for 30 days: until then reopen brings it back.
Example:
  trackway delete ENG-12 --yes
`;

/** `trackway delete`: moves issues to the trash. */
export const deleteCommand = (): Command =>
  withJson(ofIssues(new Command("delete").description("move issues to the trash")))
    .option("-y, --yes", "do not ask")
    .addHelpText("after", AFTER)
    .action(run);

async function run(ids: string[], { json, yes }: Answering & { yes?: true }): Promise<void> {
  const who = await worker();
  if (!yes && !(await askYes(`Delete ${ids.join(", ")}?`, "--yes")))
    throw new Failure("Stopped; nothing was deleted.", { cure: "trackway delete ISSUE --yes" });
  await forEachIssue(ids, json, async (id) => {
    const asked = who.ask<{ issueDelete: { entity: RowNode } }>(ISSUE.delete, { id });
    const { entity } = (await ofIssue(id, asked)).issueDelete;
    await who.fences.forget(id);
    return { row: issueRow(entity), line: `Deleted ${issueLine(entity)}` };
  });
}
