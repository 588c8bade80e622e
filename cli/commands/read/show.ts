import { spawn } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { CommandFailure } from "../../failure.ts";
import { addJsonOption, addPageOptions, type OutputOptions, type PageOptions } from "../../options.ts";
import { printResult } from "../../output/print.ts";
import { addIssueToNotFoundError, createCommandContext } from "../../work/caller.ts";
import {
  type CommentNode,
  formatComments,
  formatIssueDetail,
  type GraphqlPage,
  type IssueDetailNode,
  toCommentPage,
  toIssueDetail,
} from "../../work/issue.ts";
import { addIssueArgument } from "../../work/issues.ts";

const SHOW = `
--limit and --after page through the comments, newest first.
Examples:
  trackway show ENG-12
  trackway show ENG-12 --limit 100 --json
`;

/** `trackway show`: shows an issue with all details. */
export const createShowCommand = (): Command =>
  addJsonOption(
    addPageOptions(
      addIssueArgument(
        new Command("show").description("show an issue: description, blockers, links, holder, comments"),
      ),
    ),
  )
    .addHelpText("after", SHOW)
    .action(show);

async function show(id: string, { json, limit, after }: PageOptions): Promise<void> {
  const { ask } = await createCommandContext();
  const asked = ask<{ issue: IssueDetailNode & { comments: GraphqlPage<CommentNode> } }>(ISSUE.show, {
    id,
    first: limit,
    after,
  });
  const { issue } = await addIssueToNotFoundError(id, asked);
  const comments = toCommentPage(issue.comments);
  printResult(json, { issue: toIssueDetail(issue), ...comments }, () => [
    ...formatIssueDetail(issue),
    ...formatComments(comments),
  ]);
}

interface Answer {
  issueHandover: { issue: { identifier: string; handover: string | null } };
}

/** `trackway handover`: prints a summary of the recorded sessions of an issue. */
export const createHandoverCommand = (): Command =>
  addJsonOption(
    addIssueArgument(new Command("handover").description("show a summary of the recorded sessions of an issue")),
  )
    .addHelpText("after", "\nExamples:\n  trackway handover ENG-12\n")
    .action(async (id: string, { json }: { json?: true }) => {
      const who = await createCommandContext();
      const { identifier, handover } = (await addIssueToNotFoundError(id, who.ask<Answer>(ISSUE.handover, { id })))
        .issueHandover.issue;
      printResult(json, { id: identifier, handover }, () => [handover ?? "No recorded session worked on this issue."]);
    });

/** Programs that open a URL, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

const OPEN = `
Opens the browser in the BROWSER variable, or the default browser.
Example:
  trackway open ENG-12
`;

export const createOpenCommand = (): Command =>
  addJsonOption(
    addIssueArgument(new Command("open").description("open an issue in the browser, and print its address")),
  )
    .addHelpText("after", OPEN)
    .action(open);

async function open(id: string, { json }: OutputOptions): Promise<void> {
  const who = await createCommandContext();
  const asked = who.ask<{ issue: { identifier: string; url: string } }>(ISSUE.url, { id });
  const { identifier, url } = (await addIssueToNotFoundError(id, asked)).issue;
  printResult(json, { id: identifier, url }, () => [url]);
  await browse(url);
}

/**
 * Opens a URL in the browser. Passes the URL as one argument without a shell, so that the URL cannot contain shell
 * commands.
 * @throws CommandFailure if no browser can be started
 */
async function browse(url: string): Promise<void> {
  if (!/^https?:\/\//.test(url))
    throw new CommandFailure("The URL of the issue does not begin with http:// or https://.", {
      cure: "trackway doctor",
    });
  const usual = OPENERS[process.platform] ?? ["xdg-open"];
  const [program, ...args] = process.env["BROWSER"] ? ([process.env["BROWSER"]] as const) : usual;
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
  await once(child, "spawn").catch(() => {
    throw new CommandFailure(`Cannot start a browser (${program}).`, {
      cure: "set BROWSER, or open the address yourself",
    });
  });
  child.unref();
}
