import { Argument, Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Answering, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { ofIssue, worker } from "../../work/caller.ts";
import { issueId, ofOneIssue } from "../../work/issues.ts";
import { checkLinks } from "../../work/links.ts";

interface Found {
  issue: Record<"relations" | "inverseRelations", { nodes: { id: string; type: string }[] }> & { identifier: string };
}

const AFTER = `
Whatever links the two goes, whichever way it points: an issue that waited for the other may be ready again.
Example:
  trackway unlink ENG-12 ENG-9
`;

/** `trackway unlink`: takes the links between two issues away. */
export const unlinkCommand = (): Command =>
  withJson(ofOneIssue(new Command("unlink").description("undo the links between two issues, such as a wrong blocker")))
    .addArgument(new Argument("<other>", "the issue it is linked to").argParser(issueId))
    .addHelpText("after", AFTER)
    .action(run);

async function run(id: string, other: string, { json }: Answering): Promise<void> {
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
