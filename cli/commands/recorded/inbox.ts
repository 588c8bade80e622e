import { Argument, Command, Option } from "commander";
import { INBOX } from "../../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import {
  addJsonOption,
  addPageOptions,
  type OutputOptions,
  type PageOptions,
  parseFutureOption,
} from "../../options.ts";
import { printResult, toOneLine } from "../../output/print.ts";
import { createCommandContext } from "../../work/caller.ts";
import { formatPage, type GraphqlPage, readNextCursor } from "../../work/issue.ts";

interface EntryNode {
  id: string;
  type: string;
  createdAt: string;
  question: string | null;
  readAt: string | null;
  session: { id: string; source: string | null; metadata: Record<string, unknown> } | null;
  event: { id: string } | null;
  issue: { identifier: string } | null;
  failureGroup: { id: string } | null;
  comment: { id: string } | null;
  holder: { name: string } | null;
}

interface Options extends PageOptions {
  all?: true;
}

const AFTER = `
Each entry shows where you can respond: the computer and folder of a session, or an issue. This command cannot send answers.
Examples:
  trackway inbox
  trackway inbox done 0198c0de-0000-7000-8000-000000000002
  trackway inbox snooze --for 4h 0198c0de-0000-7000-8000-000000000002
`;

/** `trackway inbox`: lists the entries that need the user's attention. */
export const createInboxCommand = (): Command =>
  addJsonOption(addPageOptions(new Command("inbox").description("list the entries of your inbox, oldest first")))
    .option("--all", "also list entries that are done or snoozed")
    .addHelpText("after", AFTER)
    .action(run)
    .addCommand(
      marking("done", "mark entries as done; entries return when something new happens", () => ({ done: true })),
    )
    .addCommand(
      marking("snooze", "hide entries for a time", ({ for: until }: { for?: string }) => ({
        snoozedUntilAt: until,
      })).addOption(
        new Option("--for <time>", "duration, such as 45m, 12h or 7d")
          .argParser(parseFutureOption)
          .default(parseFutureOption("1d"), "1d"),
      ),
    );

async function run({ json, limit: first, after, all }: Options): Promise<void> {
  const { ask } = await createCommandContext();
  const { inbox } = await ask<{ inbox: GraphqlPage<EntryNode> }>(INBOX.list, { first, after, all: all ?? false });
  printResult(json, { entries: inbox.nodes.map(entryRow), next: readNextCursor(inbox) }, () =>
    formatPage(inbox, entryLine, "Your inbox is empty."),
  );
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** Converts an inbox entry to JSON. docs/cli.md describes the stable JSON format. */
const entryRow = ({ id, type, createdAt, question, readAt, session, event, ...rest }: EntryNode) => ({
  id,
  type,
  since: createdAt,
  question,
  read: readAt !== null,
  session: session?.id ?? null,
  agent: session?.source ?? null,
  host: textOf(session?.metadata["host"]),
  cwd: textOf(session?.metadata["cwd"]),
  event: event?.id ?? null,
  issue: rest.issue?.identifier ?? null,
  failure: rest.failureGroup?.id ?? null,
  comment: rest.comment?.id ?? null,
  holder: rest.holder?.name ?? null,
});

/** Returns an entry as one line. Recorded text appears in quotes. */
function entryLine(node: EntryNode): string {
  const { id, type, since, question, read, session, agent, host, cwd, issue, holder } = entryRow(node);
  const place = [host, cwd].filter((each) => each !== null).join(":");
  const parts = [
    `${id} ${since.slice(0, 19)}Z ${type}`,
    issue,
    holder && `@${toOneLine(holder, 40)}`,
    agent && toOneLine(agent, 40),
    place && `in ${toOneLine(place, 120)}`,
    question && `"${toOneLine(question, 160)}"`,
    issue ? null : session && `session ${session}`,
    !read && "new",
  ];
  return parts.filter(Boolean).join(" ");
}

const none = () =>
  new CommandFailure("The inbox does not contain this entry.", {
    exit: EXIT_CODES.notFound,
    cure: "trackway inbox --all",
  });

/** Creates a command that marks entries. */
function marking<More extends object>(name: string, description: string, input: (options: More) => object): Command {
  return addJsonOption(new Command(name).description(description))
    .addArgument(new Argument("<ids...>", "ids of entries"))
    .action(async (ids: string[], _: More, command: Command) => {
      const options = command.optsWithGlobals<OutputOptions & More>();
      const { ask } = await createCommandContext();
      await ask(INBOX.update, { ids, input: input(options) }).catch((error) => {
        throw error instanceof CommandFailure && error.exit === EXIT_CODES.notFound ? none() : error;
      });
      printResult(options.json, { marked: ids.length }, () => [
        `${ids.length === 1 ? "1 entry is" : `${ids.length} entries are`} out of the inbox.`,
      ]);
    });
}
