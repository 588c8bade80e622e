import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Fenced, fenced, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { canAsk, textOrStdin } from "../../prompt.ts";
import { ofIssue, type Worker, worker } from "../../work/caller.ts";
import { fenceFor, guarded } from "../../work/claim.ts";
import { ofOneIssue } from "../../work/issues.ts";

interface Comment {
  id: string;
  createdAt: string;
  issue: { identifier: string };
}

interface Options extends Fenced {
  edit?: string;
  editor?: true;
}

const AFTER = `
Examples:
  trackway comment ENG-12 "It happens on Linux alone."
  git diff --stat | trackway comment ENG-12 -
  trackway comment ENG-12 --edit last "It happens on Linux and BSD."
`;

/** `trackway comment`: says something about an issue. */
export const commentCommand = (): Command =>
  withJson(
    fenced(ofOneIssue(new Command("comment").description("say something about an issue, such as how the work goes"))),
  )
    .argument("[text]", "in Markdown; - reads standard input; without one in a terminal, $EDITOR asks for it")
    .usage("[options] <issue> <text>")
    .option("-e, --editor", "write the text in $EDITOR")
    .option("--edit <comment>", "change this comment of yours instead, by its id, or last")
    .addHelpText("after", AFTER)
    .action(run);

async function run(id: string, text: string | undefined, options: Options): Promise<void> {
  const who = await worker();
  const body = await bodyOf(text, options);
  const comment =
    options.edit === undefined ? await said(who, id, body, options) : await edited(who, id, body, options.edit);
  const { identifier } = comment.issue;
  answer(options.json, { comment: { id: comment.id, issue: identifier, at: comment.createdAt } }, () => [
    options.edit === undefined ? `Commented on ${identifier}.` : `Changed a comment on ${identifier}.`,
  ]);
}

async function bodyOf(text: string | undefined, { editor }: Options): Promise<string> {
  if (editor || (text === undefined && canAsk())) return (await import("../../files/editor.ts")).editedText(text);
  if (text !== undefined) return textOrStdin(text);
  throw new Failure("The text is missing.", { exit: EXIT.usage, cure: "trackway comment ISSUE TEXT, or --editor" });
}

async function said(who: Worker, id: string, body: string, options: Options): Promise<Comment> {
  const fence = await fenceFor(who, id, options);
  const asked = who.ask<{ commentCreate: { comment: Comment } }>(ISSUE.comment, {
    input: { issueId: id, body, fence },
  });
  return (await guarded(id, fence, asked)).commentCreate.comment;
}

async function edited(who: Worker, issue: string, body: string, which: string): Promise<Comment> {
  const id = which === "last" ? await lastOf(who, issue) : which;
  const asked = who.ask<{ commentUpdate: { comment: Comment } }>(ISSUE.editComment, { id, input: { body } });
  const { commentUpdate } = await asked.catch((error) => {
    if (!(error instanceof Failure) || error.exit !== EXIT.notFound) throw error;
    throw new Failure(`There is no comment "${which}".`, {
      exit: EXIT.notFound,
      cure: `trackway show ${issue} --json`,
    });
  });
  return commentUpdate.comment;
}

async function lastOf(who: Worker, id: string): Promise<string> {
  const asked = who.ask<{ issue: { comments: { nodes: { id: string }[] } } }>(ISSUE.lastComment, { id });
  const [last] = (await ofIssue(id, asked)).issue.comments.nodes;
  if (last) return last.id;
  throw new Failure(`No comment on ${id} is yours.`, { exit: EXIT.notFound, cure: `trackway show ${id}` });
}
