import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Fenced, fenced, gathered, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { ofIssue, worker } from "../../work/caller.ts";
import { type DetailNode, issueDetail } from "../../work/detail.ts";
import { fenceFor, guarded } from "../../work/fence.ts";
import { type FieldOptions, fields, inputOf } from "../../work/fields.ts";
import { issueLine } from "../../work/issue.ts";
import { checkLinks, hasLinks, type LinkOptions, link, links } from "../../work/links.ts";

type Options = Fenced & FieldOptions & LinkOptions & { title?: string };

const AFTER = `
What you claimed is changed with its fence: when the claim is lost, it is refused with exit code 4. To end work: done.
Examples:
  trackway update ENG-12 --priority urgent --assignee me
  trackway update ENG-12 --blocked-by ENG-9
`;

/** `trackway update`: changes an issue, and links it to others. */
export const updateCommand = (): Command =>
  withJson(fenced(links(fields(new Command("update").description("change an issue, or link it to other issues")))))
    .argument("<issue>", "identifier such as ENG-12, or id")
    .option("--title <text>", "one line that says what it is about")
    .option("--add-label <name>", "one more label; several: the option again", gathered)
    .option("--remove-label <name>", "without this label; several: the option again", gathered)
    .addHelpText("after", AFTER)
    .action(run);

async function run(id: string, options: Options): Promise<void> {
  const who = await worker();
  await checkLinks(who, options);
  const { title } = options;
  const changes = { ...(title !== undefined && { title }), ...(await inputOf(who, options, { issue: id })) };
  const changed = Object.keys(changes).length > 0;
  if (!changed && !hasLinks(options))
    throw new Failure("Nothing is to be changed.", { exit: EXIT.usage, cure: "trackway update --help" });
  if (changed) {
    const fence = await fenceFor(who, id, options);
    const input = { ...changes, ...(fence !== undefined && { fence }) };
    await guarded(id, fence, who.ask(ISSUE.update, { id, input }));
  }
  await ofIssue(id, link(who, id, options));
  const { issue } = await ofIssue(id, who.ask<{ issue: DetailNode }>(ISSUE.show, { id, first: 1 }));
  answer(options.json, { issue: issueDetail(issue) }, () => [`Updated ${issueLine(issue)}`]);
}
