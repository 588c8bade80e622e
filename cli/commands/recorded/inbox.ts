import { Argument, Command, Option } from "commander";
import { INBOX } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Answering, ahead, type Paged, paged, withJson } from "../../options.ts";
import { answer, oneLine } from "../../output/print.ts";
import { worker } from "../../work/caller.ts";
import { listLines, nextOf, type Page } from "../../work/issue.ts";

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

interface Options extends Paged {
  all?: true;
}

const AFTER = `
Each entry says where it is to be answered: computer and folder of a session, or an issue. Nothing is answered from here.
Examples:
  trackway inbox
  trackway inbox done 0198c0de-0000-7000-8000-000000000002
  trackway inbox snooze --for 4h 0198c0de-0000-7000-8000-000000000002
`;

/** `trackway inbox`: whatever waits for a person. */
export const inboxCommand = (): Command =>
  withJson(paged(new Command("inbox").description("list what waits for you, the oldest first")))
    .option("--all", "also what you are done with, or snoozed")
    .addHelpText("after", AFTER)
    .action(run)
    .addCommand(marking("done", "take entries out, until they come back", () => ({ done: true })))
    .addCommand(
      marking("snooze", "take entries out for a time", ({ for: until }: { for?: string }) => ({
        snoozedUntilAt: until,
      })).addOption(
        new Option("--for <time>", "how long, as 45m, 12h or 7d").argParser(ahead).default(ahead("1d"), "1d"),
      ),
    );

async function run({ json, limit: first, after, all }: Options): Promise<void> {
  const { ask } = await worker();
  const { inbox } = await ask<{ inbox: Page<EntryNode> }>(INBOX.list, { first, after, all: all ?? false });
  answer(json, { entries: inbox.nodes.map(entryRow), next: nextOf(inbox) }, () =>
    listLines(inbox, entryLine, "Nothing waits for you."),
  );
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/** An entry as JSON. Part of the interface: docs/cli.md. */
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

/** An entry in one line: recorded text stands in quotes. */
function entryLine(node: EntryNode): string {
  const { id, type, since, question, read, session, agent, host, cwd, issue, holder } = entryRow(node);
  const place = [host, cwd].filter((each) => each !== null).join(":");
  const parts = [
    `${id} ${since.slice(0, 19)}Z ${type}`,
    issue,
    holder && `@${oneLine(holder, 40)}`,
    agent && oneLine(agent, 40),
    place && `in ${oneLine(place, 120)}`,
    question && `"${oneLine(question, 160)}"`,
    issue ? null : session && `session ${session}`,
    !read && "new",
  ];
  return parts.filter(Boolean).join(" ");
}

const none = () =>
  new Failure("There is no such entry, or no more.", { exit: EXIT.notFound, cure: "trackway inbox --all" });

/** A command that marks entries. */
function marking<More extends object>(name: string, description: string, input: (options: More) => object): Command {
  return withJson(new Command(name).description(description))
    .addArgument(new Argument("<ids...>", "of entries"))
    .action(async (ids: string[], _: More, command: Command) => {
      const options = command.optsWithGlobals<Answering & More>();
      const { ask } = await worker();
      await ask(INBOX.update, { ids, input: input(options) }).catch((error) => {
        throw error instanceof Failure && error.exit === EXIT.notFound ? none() : error;
      });
      answer(options.json, { marked: ids.length }, () => [
        `${ids.length === 1 ? "1 entry is" : `${ids.length} entries are`} out of the inbox.`,
      ]);
    });
}
