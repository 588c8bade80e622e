import { Command, Option } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { addJsonOption, addPageOptions, type PageOptions } from "../../options.ts";
import { printResult } from "../../output/print.ts";
import { createCommandContext } from "../../work/caller.ts";
import { addClaimOptions, type ClaimOptions, claimAndPrintIssue } from "../../work/claim.ts";
import { addFilterOptions, buildIssueFilter, type IssueFilterOptions } from "../../work/filter.ts";
import {
  formatIssue,
  formatPage,
  type GraphqlPage,
  type IssueRowNode,
  readNextCursor,
  toIssueRow,
} from "../../work/issue.ts";

type Options = PageOptions & IssueFilterOptions & ClaimOptions & { claim?: true };

const AFTER = `
An issue is ready when it is not started, not blocked and not claimed. Urgent issues come first, then issues that unblock the
most issues, then the oldest. Among the first 50, issues whose files somebody is changing now come last.
With --claim, two agents never get the same issue. If no issue is ready, the command ends with exit code 3.
Examples:
  trackway ready --team ENG
  trackway ready --claim
`;

/** `trackway ready`: lists the issues that can be started, best first. */
export const createReadyCommand = (): Command =>
  addJsonOption(
    addClaimOptions(
      addPageOptions(
        addFilterOptions(new Command("ready").description("list issues that are ready to start, best first")),
      ),
    ),
  )
    .addOption(new Option("--claim", "claim the best ready issue to work on it, and show the issue").conflicts("after"))
    .addHelpText("after", AFTER)
    .action(run);

async function run(options: Options): Promise<void> {
  const who = await createCommandContext();
  const filter = await buildIssueFilter(who, options);
  if (options.claim) return claimAndPrintIssue(who, { filter }, options).catch(nothingReady);
  const { limit: first, after } = options;
  const { readyIssues } = await who.ask<{ readyIssues: GraphqlPage<IssueRowNode> }>(ISSUE.ready, {
    filter,
    first,
    after,
  });
  printResult(options.json, { issues: readyIssues.nodes.map(toIssueRow), next: readNextCursor(readyIssues) }, () =>
    formatPage(readyIssues, formatIssue, "No issue is ready."),
  );
}

function nothingReady(error: unknown): never {
  if (!(error instanceof CommandFailure) || error.exit !== EXIT_CODES.notFound) throw error;
  throw new CommandFailure("No issue is ready.", {
    exit: EXIT_CODES.notFound,
    cure: "trackway prime, to see claimed and blocked issues",
  });
}
