import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { addFenceOptions, addJsonOption, type FenceOptions } from "../../options.ts";
import { printResult } from "../../output/print.ts";
import { isInteractive, readTextArgument } from "../../prompt.ts";
import { addIssueToNotFoundError, type CommandContext, createCommandContext } from "../../work/caller.ts";
import { addFixToFenceConflict, resolveFence } from "../../work/claim.ts";
import { addIssueArgument } from "../../work/issues.ts";

interface Comment {
  id: string;
  createdAt: string;
  issue: { identifier: string };
}

interface Options extends FenceOptions {
  edit?: string;
  editor?: true;
}

const AFTER = `
Examples:
  trackway comment ENG-12 "The error happens only on Linux."
  git diff --stat | trackway comment ENG-12 -
  trackway comment ENG-12 --edit last "The error happens on Linux and BSD."
`;

export const createCommentCommand = (): Command =>
  addJsonOption(
    addFenceOptions(
      addIssueArgument(new Command("comment").description("comment on an issue, for example how the work goes")),
    ),
  )
    .argument(
      "[text]",
      "comment in Markdown; - reads standard input; in a terminal, $EDITOR opens if the text is missing",
    )
    .usage("[options] <issue> <text>")
    .option("-e, --editor", "write the text in $EDITOR")
    .option("--edit <comment>", "edit your comment with this id, or your last comment with last")
    .addHelpText("after", AFTER)
    .action(run);

async function run(id: string, text: string | undefined, options: Options): Promise<void> {
  const who = await createCommandContext();
  const body = await bodyOf(text, options);
  const comment =
    options.edit === undefined ? await said(who, id, body, options) : await edited(who, id, body, options.edit);
  const { identifier } = comment.issue;
  printResult(options.json, { comment: { id: comment.id, issue: identifier, at: comment.createdAt } }, () => [
    options.edit === undefined ? `Commented on ${identifier}.` : `Changed a comment on ${identifier}.`,
  ]);
}

async function bodyOf(text: string | undefined, { editor }: Options): Promise<string> {
  if (editor || (text === undefined && isInteractive()))
    return (await import("../../files/editor.ts")).editTextInEditor(text);
  if (text !== undefined) return readTextArgument(text);
  throw new CommandFailure("The comment text is missing.", {
    exit: EXIT_CODES.usage,
    cure: "trackway comment ISSUE TEXT, or --editor",
  });
}

async function said(who: CommandContext, id: string, body: string, options: Options): Promise<Comment> {
  const fence = await resolveFence(who, id, options);
  const asked = who.ask<{ commentCreate: { comment: Comment } }>(ISSUE.comment, {
    input: { issueId: id, body, fence },
  });
  return (await addFixToFenceConflict(id, fence, asked)).commentCreate.comment;
}

async function edited(who: CommandContext, issue: string, body: string, which: string): Promise<Comment> {
  const id = which === "last" ? await lastOf(who, issue) : which;
  const asked = who.ask<{ commentUpdate: { comment: Comment } }>(ISSUE.editComment, { id, input: { body } });
  const { commentUpdate } = await asked.catch((error) => {
    if (!(error instanceof CommandFailure) || error.exit !== EXIT_CODES.notFound) throw error;
    throw new CommandFailure(`There is no comment "${which}".`, {
      exit: EXIT_CODES.notFound,
      cure: `trackway show ${issue} --json`,
    });
  });
  return commentUpdate.comment;
}

async function lastOf(who: CommandContext, id: string): Promise<string> {
  const asked = who.ask<{ issue: { comments: { nodes: { id: string }[] } } }>(ISSUE.lastComment, { id });
  const [last] = (await addIssueToNotFoundError(id, asked)).issue.comments.nodes;
  if (last) return last.id;
  throw new CommandFailure(`You have no comment on ${id}.`, { exit: EXIT_CODES.notFound, cure: `trackway show ${id}` });
}
