import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Answering, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { oneLine } from "../../output/safe.ts";
import { canAsk } from "../../prompt.ts";
import { worker } from "../../work/caller.ts";
import { type FieldOptions, fields, inputOf, textsOf } from "../../work/fields.ts";
import { teamOption } from "../../work/filter.ts";
import { issueLine, issueRow, type RowNode } from "../../work/issue.ts";
import { checkLinks, type LinkOptions, link, links } from "../../work/links.ts";

type Options = Answering & FieldOptions & LinkOptions & { team?: string };

const AFTER = `
Examples:
  trackway create "Login fails after midnight" --team ENG --priority high
  trackway create "Parser drops empty lines" --discovered-from ENG-12
  trackway create "Crash at start" --description - < report.md
`;

/** `trackway create`: files an issue. */
export const createCommand = (): Command =>
  withJson(links(fields(new Command("create").description("file a new issue, with links to others"))))
    .argument("[title]", "one line that says what it is about; without one in a terminal, $EDITOR asks for it")
    .usage("[options] <title>")
    .addOption(teamOption("whose it is; needed where there are several teams"))
    .addHelpText("after", AFTER)
    .action(run);

async function run(given: string | undefined, { team, ...options }: Options): Promise<void> {
  const editor = options.editor ?? (given === undefined && canAsk());
  if (given === undefined && !editor)
    throw new Failure("A title is missing.", { exit: EXIT.usage, cure: "trackway create TITLE, or --editor" });
  const who = await worker();
  await checkLinks(who, options);
  const asked = { ...options, ...(given !== undefined && { title: given }), ...(editor && { editor }) };
  const texts = await textsOf(asked, async () => ({ title: "", description: "" }));
  const input = { ...texts, ...(await inputOf(who, options, { team: team ?? who.team, someTeam: true })) };
  const { issueCreate } = await who.ask<{ issueCreate: { issue: RowNode & { id: string } } }>(ISSUE.create, { input });
  const { issue } = issueCreate;
  await link(who, issue.id, options).catch((error) => {
    throw new Failure(`${issue.identifier} is made, but not linked: ${(error as Error).message}`, {
      exit: error instanceof Failure ? error.exit : EXIT.failed,
      cure: `trackway update ${issue.identifier} with the links alone`,
    });
  });
  answer(options.json, { issue: issueRow(issue) }, () => [`Created ${issueLine(issue)}`, oneLine(issue.url)]);
}
