import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Fenced, fenced, gathered, withJson } from "../../options.ts";
import { ofIssue, type Worker, worker } from "../../work/caller.ts";
import { type DetailNode, issueDetail } from "../../work/detail.ts";
import { fenceFor, guarded } from "../../work/fence.ts";
import { type FieldOptions, fields, hasFields, inputOf, textsOf } from "../../work/fields.ts";
import { issueLine } from "../../work/issue.ts";
import { checkFence, forEachIssue, ofIssues } from "../../work/issues.ts";
import { checkLinks, hasLinks, type LinkOptions, link, links } from "../../work/links.ts";

type Options = Fenced & FieldOptions & LinkOptions;

const AFTER = `
What you claimed is changed with its fence: when the claim is lost, it is refused with exit code 4. To end work: done.
Examples:
  trackway update ENG-12 --priority urgent --assignee me
  trackway update ENG-12 --blocked-by ENG-9
  trackway update ENG-12 ENG-9 --add-label regression
`;

/** `trackway update`: changes an issue, and links it to others. */
export const updateCommand = (): Command =>
  withJson(fenced(links(fields(ofIssues(new Command("update").description("change issues, or link them to others"))))))
    .option("--title <text>", "one line that says what it is about")
    .option("--add-label <name>", "one more label; several: the option again", gathered)
    .option("--remove-label <name>", "without this label; several: the option again", gathered)
    .addHelpText("after", AFTER)
    .action(run);

async function run(ids: string[], options: Options): Promise<void> {
  checkFence(ids, options);
  if (options.editor && ids.length > 1)
    throw new Failure("An editor takes one issue.", { exit: EXIT.usage, cure: "one issue a call" });
  const who = await worker();
  await checkLinks(who, options);
  const texts = await textsOf(options, () => shown(who, String(ids[0])));
  const changed = hasFields(options) || Object.keys(texts).length > 0;
  if (!changed && !hasLinks(options))
    throw new Failure("Nothing is to be changed.", { exit: EXIT.usage, cure: "trackway update --help" });
  await forEachIssue(ids, options.json, async (id) => {
    if (changed) {
      const fence = await fenceFor(who, id, options);
      const input = { ...texts, ...(await inputOf(who, options, { issue: id })), fence };
      await guarded(id, fence, who.ask(ISSUE.update, { id, input }));
    }
    await ofIssue(id, link(who, id, options));
    const issue = await shown(who, id);
    return { row: issueDetail(issue), line: `Updated ${issueLine(issue)}` };
  });
}

const shown = async (who: Worker, id: string): Promise<DetailNode> =>
  (await ofIssue(id, who.ask<{ issue: DetailNode }>(ISSUE.show, { id, first: 1 }))).issue;
