import { spawn } from "node:child_process";
import { once } from "node:events";
import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { Failure } from "../../failure.ts";
import { type Answering, type Paged, paged, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { ofIssue, worker } from "../../work/caller.ts";
import {
  type CommentNode,
  commentLines,
  commentsOf,
  type DetailNode,
  detailLines,
  issueDetail,
  type Page,
} from "../../work/issue.ts";
import { ofOneIssue } from "../../work/issues.ts";

const SHOW = `
--limit and --after page the comments, the newest of which come first.
Examples:
  trackway show ENG-12
  trackway show ENG-12 --limit 100 --json
`;

/** `trackway show`: one issue whole. */
export const showCommand = (): Command =>
  withJson(
    paged(ofOneIssue(new Command("show").description("show an issue: description, blockers, links, holder, comments"))),
  )
    .addHelpText("after", SHOW)
    .action(show);

async function show(id: string, { json, limit, after }: Paged): Promise<void> {
  const { ask } = await worker();
  const asked = ask<{ issue: DetailNode & { comments: Page<CommentNode> } }>(ISSUE.show, { id, first: limit, after });
  const { issue } = await ofIssue(id, asked);
  const comments = commentsOf(issue.comments);
  answer(json, { issue: issueDetail(issue), ...comments }, () => [...detailLines(issue), ...commentLines(comments)]);
}

interface Answer {
  issueHandover: { issue: { identifier: string; handover: string | null } };
}

/** `trackway handover`: the record of an issue's sessions in short. */
export const handoverCommand = (): Command =>
  withJson(ofOneIssue(new Command("handover").description("show what is recorded of the work on an issue, in short")))
    .addHelpText("after", "\nExamples:\n  trackway handover ENG-12\n")
    .action(async (id: string, { json }: { json?: true }) => {
      const who = await worker();
      const { identifier, handover } = (await ofIssue(id, who.ask<Answer>(ISSUE.handover, { id }))).issueHandover.issue;
      answer(json, { id: identifier, handover }, () => [handover ?? "No recorded session worked on it."]);
    });

/** The programs that open an address, by platform. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

const OPEN = `
The browser is the one of BROWSER, else the system's.
Example:
  trackway open ENG-12
`;

/** `trackway open`: shows an issue in the browser. */
export const openCommand = (): Command =>
  withJson(ofOneIssue(new Command("open").description("open an issue in the browser, and say its address")))
    .addHelpText("after", OPEN)
    .action(open);

async function open(id: string, { json }: Answering): Promise<void> {
  const who = await worker();
  const asked = who.ask<{ issue: { identifier: string; url: string } }>(ISSUE.url, { id });
  const { identifier, url } = (await ofIssue(id, asked)).issue;
  answer(json, { id: identifier, url }, () => [url]);
  await browse(url);
}

/** An address goes to the browser as one argument, past any shell. @throws Failure where none can be started */
async function browse(url: string): Promise<void> {
  if (!/^https?:\/\//.test(url)) throw new Failure("Its address is none of the web.", { cure: "trackway doctor" });
  const usual = OPENERS[process.platform] ?? ["xdg-open"];
  const [program, ...args] = process.env["BROWSER"] ? ([process.env["BROWSER"]] as const) : usual;
  const child = spawn(program, [...args, url], { detached: true, stdio: "ignore" });
  await once(child, "spawn").catch(() => {
    throw new Failure(`No browser could be started (${program}).`, { cure: "set BROWSER, or open the address" });
  });
  child.unref();
}
