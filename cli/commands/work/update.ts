import { Argument, Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Answering, type Fenced, fenced, gathered, withJson } from "../../options.ts";
import { answer, oneLine } from "../../output/print.ts";
import { canAsk } from "../../prompt.ts";
import { ofIssue, type Worker, worker } from "../../work/caller.ts";
import { fenceFor, guarded } from "../../work/claim.ts";
import { type FieldOptions, fields, hasFields, inputOf, textsOf } from "../../work/fields.ts";
import { teamOption } from "../../work/filter.ts";
import { type DetailNode, issueDetail, issueLine, issueRow, type RowNode } from "../../work/issue.ts";
import { checkFence, forEachIssue, issueId, ofIssues, ofOneIssue } from "../../work/issues.ts";
import { checkLinks, hasLinks, type LinkOptions, link, links } from "../../work/links.ts";

type CreateOptions = Answering & FieldOptions & LinkOptions & { team?: string };

const CREATE = `
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
    .addHelpText("after", CREATE)
    .action(create);

async function create(given: string | undefined, { team, ...options }: CreateOptions): Promise<void> {
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

type UpdateOptions = Fenced & FieldOptions & LinkOptions;

const UPDATE = `
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
    .addHelpText("after", UPDATE)
    .action(update);

async function update(ids: string[], options: UpdateOptions): Promise<void> {
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

interface Found {
  issue: Record<"relations" | "inverseRelations", { nodes: { id: string; type: string }[] }> & { identifier: string };
}

const UNLINK = `
Whatever links the two goes, whichever way it points: an issue that waited for the other may be ready again.
Example:
  trackway unlink ENG-12 ENG-9
`;

/** `trackway unlink`: takes the links between two issues away. */
export const unlinkCommand = (): Command =>
  withJson(ofOneIssue(new Command("unlink").description("undo the links between two issues, such as a wrong blocker")))
    .addArgument(new Argument("<other>", "the issue it is linked to").argParser(issueId))
    .addHelpText("after", UNLINK)
    .action(unlink);

async function unlink(id: string, other: string, { json }: Answering): Promise<void> {
  const who = await worker();
  await checkLinks(who, { relatedTo: [other] });
  const named = { id: { eq: other } };
  const asked = who.ask<Found>(ISSUE.links, { id, to: { relatedIssue: named }, from: { issue: named } });
  const { issue } = await ofIssue(id, asked);
  const links = [...issue.relations.nodes, ...issue.inverseRelations.nodes];
  if (links.length === 0)
    throw new Failure(`Nothing links ${issue.identifier} and ${other}.`, {
      exit: EXIT.notFound,
      cure: `trackway show ${issue.identifier}, for its links`,
    });
  for (const link of links) await who.ask(ISSUE.unlink, { id: link.id });
  const types = links.map(({ type }) => type);
  answer(json, { issue: issue.identifier, other, removed: types }, () => [
    `Unlinked ${issue.identifier} and ${other}: ${types.join(", ")}.`,
  ]);
}
