import { Argument, Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { addFenceOptions, addJsonOption, collectValues, type FenceOptions, type OutputOptions } from "../../options.ts";
import { printResult, toOneLine } from "../../output/print.ts";
import { isInteractive } from "../../prompt.ts";
import { addIssueToNotFoundError, type CommandContext, createCommandContext } from "../../work/caller.ts";
import { addFixToFenceConflict, resolveFence } from "../../work/claim.ts";
import {
  addFieldOptions,
  buildIssueInput,
  type FieldOptions,
  hasNonTextFields,
  readTitleAndDescription,
} from "../../work/fields.ts";
import { createTeamOption } from "../../work/filter.ts";
import { formatIssue, type IssueDetailNode, type IssueRowNode, toIssueDetail, toIssueRow } from "../../work/issue.ts";
import {
  addIssueArgument,
  addIssuesArgument,
  assertFenceForSingleIssue,
  forEachIssue,
  parseIssueArgument,
} from "../../work/issues.ts";
import { addLinkOptions, checkLinks, createLinks, hasLinks, type LinkOptions } from "../../work/links.ts";

type CreateOptions = OutputOptions & FieldOptions & LinkOptions & { team?: string };

const CREATE = `
Examples:
  trackway create "Login fails after midnight" --team ENG --priority high
  trackway create "Parser drops empty lines" --discovered-from ENG-12
  trackway create "Crash at start" --description - < report.md
`;

export const createCreateCommand = (): Command =>
  addJsonOption(
    addLinkOptions(addFieldOptions(new Command("create").description("create an issue, with links to other issues"))),
  )
    .argument("[title]", "title in one line; in a terminal, $EDITOR opens if the title is missing")
    .usage("[options] <title>")
    .addOption(createTeamOption("team of the issue; required if there are several teams"))
    .addHelpText("after", CREATE)
    .action(create);

async function create(given: string | undefined, { team, ...options }: CreateOptions): Promise<void> {
  const editor = options.editor ?? (given === undefined && isInteractive());
  if (given === undefined && !editor)
    throw new CommandFailure("The title is missing.", {
      exit: EXIT_CODES.usage,
      cure: "trackway create TITLE, or --editor",
    });
  const who = await createCommandContext();
  await checkLinks(who, options);
  const asked = { ...options, ...(given !== undefined && { title: given }), ...(editor && { editor }) };
  const texts = await readTitleAndDescription(asked, async () => ({ title: "", description: "" }));
  const input = { ...texts, ...(await buildIssueInput(who, options, { team: team ?? who.team, someTeam: true })) };
  const { issueCreate } = await who.ask<{ issueCreate: { issue: IssueRowNode & { id: string } } }>(ISSUE.create, {
    input,
  });
  const { issue } = issueCreate;
  await createLinks(who, issue.id, options).catch((error) => {
    throw new CommandFailure(`${issue.identifier} is created, but not linked: ${(error as Error).message}`, {
      exit: error instanceof CommandFailure ? error.exit : EXIT_CODES.failed,
      cure: `trackway update ${issue.identifier} with only the link options`,
    });
  });
  printResult(options.json, { issue: toIssueRow(issue) }, () => [
    `Created ${formatIssue(issue)}`,
    toOneLine(issue.url),
  ]);
}

type UpdateOptions = FenceOptions & FieldOptions & LinkOptions;

const UPDATE = `
Changes to an issue that you claimed use the fence of the claim, and fail with exit code 4 if the claim has expired. To complete
an issue, use done.
Examples:
  trackway update ENG-12 --priority urgent --assignee me
  trackway update ENG-12 --blocked-by ENG-9
  trackway update ENG-12 ENG-9 --add-label regression
`;

/** `trackway update`: changes issues, or links issues to other issues. */
export const createUpdateCommand = (): Command =>
  addJsonOption(
    addFenceOptions(
      addLinkOptions(
        addFieldOptions(
          addIssuesArgument(new Command("update").description("change issues, or link issues to other issues")),
        ),
      ),
    ),
  )
    .option("--title <text>", "new title in one line")
    .option("--add-label <name>", "add a label; can be repeated", collectValues)
    .option("--remove-label <name>", "remove a label; can be repeated", collectValues)
    .addHelpText("after", UPDATE)
    .action(update);

async function update(ids: string[], options: UpdateOptions): Promise<void> {
  assertFenceForSingleIssue(ids, options);
  if (options.editor && ids.length > 1)
    throw new CommandFailure("--editor works with one issue only.", {
      exit: EXIT_CODES.usage,
      cure: "one issue per call",
    });
  const who = await createCommandContext();
  await checkLinks(who, options);
  const texts = await readTitleAndDescription(options, () => shown(who, String(ids[0])));
  const changed = hasNonTextFields(options) || Object.keys(texts).length > 0;
  if (!changed && !hasLinks(options))
    throw new CommandFailure("No changes were given.", { exit: EXIT_CODES.usage, cure: "trackway update --help" });
  await forEachIssue(ids, options.json, async (id) => {
    if (changed) {
      const fence = await resolveFence(who, id, options);
      const input = { ...texts, ...(await buildIssueInput(who, options, { issue: id })), fence };
      await addFixToFenceConflict(id, fence, who.ask(ISSUE.update, { id, input }));
    }
    await addIssueToNotFoundError(id, createLinks(who, id, options));
    const issue = await shown(who, id);
    return { row: toIssueDetail(issue), line: `Updated ${formatIssue(issue)}` };
  });
}

const shown = async (who: CommandContext, id: string): Promise<IssueDetailNode> =>
  (await addIssueToNotFoundError(id, who.ask<{ issue: IssueDetailNode }>(ISSUE.show, { id, first: 1 }))).issue;

interface Found {
  issue: Record<"relations" | "inverseRelations", { nodes: { id: string; type: string }[] }> & { identifier: string };
}

const UNLINK = `
Removes all links between the two issues, in both directions. A blocked issue may become ready.
Example:
  trackway unlink ENG-12 ENG-9
`;

/** `trackway unlink`: removes all links between two issues. */
export const createUnlinkCommand = (): Command =>
  addJsonOption(
    addIssueArgument(new Command("unlink").description("remove all links between two issues, such as a wrong blocker")),
  )
    .addArgument(new Argument("<other>", "the linked issue").argParser(parseIssueArgument))
    .addHelpText("after", UNLINK)
    .action(unlink);

async function unlink(id: string, other: string, { json }: OutputOptions): Promise<void> {
  const who = await createCommandContext();
  await checkLinks(who, { relatedTo: [other] });
  const named = { id: { eq: other } };
  const asked = who.ask<Found>(ISSUE.links, { id, to: { relatedIssue: named }, from: { issue: named } });
  const { issue } = await addIssueToNotFoundError(id, asked);
  const links = [...issue.relations.nodes, ...issue.inverseRelations.nodes];
  if (links.length === 0)
    throw new CommandFailure(`No links between ${issue.identifier} and ${other}.`, {
      exit: EXIT_CODES.notFound,
      cure: `trackway show ${issue.identifier}, to see the links`,
    });
  for (const link of links) await who.ask(ISSUE.unlink, { id: link.id });
  const types = links.map(({ type }) => type);
  printResult(json, { issue: issue.identifier, other, removed: types }, () => [
    `Unlinked ${issue.identifier} and ${other}: ${types.join(", ")}.`,
  ]);
}
