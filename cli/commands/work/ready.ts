import { Command, Option } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Paged, paged, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { worker } from "../../work/caller.ts";
import { type ClaimOptions, claim, claiming } from "../../work/claim.ts";
import { filterOf, type WhichOptions, which } from "../../work/filter.ts";
import { issueLine, issueRow, listLines, nextOf, type Page, type RowNode } from "../../work/issue.ts";

type Options = Paged & WhichOptions & ClaimOptions & { claim?: true };

const AFTER = `
Ready is what is not begun, not blocked and held by nobody: urgent first, then what unblocks most, then the oldest. Of the
best 50 those come last whose files somebody changes right now.
With --claim two agents never get the same issue; when nothing is ready it ends with exit code 3.
Examples:
  trackway ready --team ENG
  trackway ready --claim
`;

/** `trackway ready`: what can be begun, the best first. */
export const readyCommand = (): Command =>
  withJson(
    claiming(paged(which(new Command("ready").description("list the issues that can be begun, the best first")))),
  )
    .addOption(new Option("--claim", "take the best one to work on, and show it").conflicts("after"))
    .addHelpText("after", AFTER)
    .action(run);

async function run(options: Options): Promise<void> {
  const who = await worker();
  const filter = await filterOf(who, options);
  if (options.claim) return claim(who, { filter }, options).catch(nothingReady);
  const { limit: first, after } = options;
  const { readyIssues } = await who.ask<{ readyIssues: Page<RowNode> }>(ISSUE.ready, { filter, first, after });
  answer(options.json, { issues: readyIssues.nodes.map(issueRow), next: nextOf(readyIssues) }, () =>
    listLines(readyIssues, issueLine, "Nothing is ready."),
  );
}

function nothingReady(error: unknown): never {
  if (!(error instanceof Failure) || error.exit !== EXIT.notFound) throw error;
  throw new Failure("Nothing is ready.", { exit: EXIT.notFound, cure: "trackway prime, for what is held or blocked" });
}
