import { Command, Option } from "commander";
import { isUuid } from "../../../formats/uuid.ts";
import { SESSION } from "../../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { addJsonOption, addPageOptions, createNumberParser, type PageOptions } from "../../options.ts";
import { printResult } from "../../output/print.ts";
import { type EventDepths, followSession, formatEvent, readEventPage } from "../../sessions/events.ts";
import { addSessionOptions, buildSessionFilter, type SessionOptions } from "../../sessions/filter.ts";
import {
  findSession,
  formatSession,
  formatSessionChanges,
  type SessionNode,
  toSessionDetail,
  toSessionRow,
} from "../../sessions/session.ts";
import { createCommandContext } from "../../work/caller.ts";
import { formatPage, type GraphqlPage, readNextCursor } from "../../work/issue.ts";
import { createDeleteSessionsCommand } from "./delete-sessions.ts";

type ListOptions = PageOptions & SessionOptions;

const LIST = `
Examples:
  trackway sessions --failed --since 2d
  trackway sessions --agent claude-code --limit 5
`;

/** `trackway sessions`: lists recorded sessions. */
export const createSessionsCommand = (): Command =>
  addJsonOption(
    addSessionOptions(addPageOptions(new Command("sessions").description("list recorded sessions, newest first"))),
  )
    .addHelpText("after", LIST)
    .action(list);

async function list({ json, limit, after, ...wanted }: ListOptions): Promise<void> {
  const filter = buildSessionFilter(wanted);
  const { ask } = await createCommandContext();
  const { recordedSessions: page } = await ask<{
    recordedSessions: GraphqlPage<SessionNode> & { searchedSince: string | null };
  }>(SESSION.list, {
    filter,
    first: limit,
    after,
  });
  const { searchedSince } = page;
  const found = {
    sessions: page.nodes.map(toSessionRow),
    next: readNextCursor(page),
    ...(searchedSince && { searchedSince }),
  };
  printResult(json, found, () => [
    ...formatPage(page, formatSession, "No recorded sessions."),
    ...(searchedSince ? [`Sessions before ${searchedSince} were not searched.`] : []),
  ]);
}

interface ShowOptions extends PageOptions {
  follow?: true;
  for?: number;
}

const SESSION_AFTER = `
Child events are indented below their parent event. Text is truncated at 160 characters. With --follow and --json, each event is
one line of JSON.
Examples:
  trackway session 0198c0de-0000-7000-8000-000000000002
  trackway session 0198c0de-0000-7000-8000-000000000002 --follow
`;

/** `trackway session`: shows the events of a recorded session. */
export const createSessionCommand = (): Command =>
  addJsonOption(
    addPageOptions(new Command("session").description("show the events of a recorded session, oldest first"), 1_000),
  )
    .argument("<id>", "session id, of Trackway or of the agent")
    .option("-f, --follow", "print new events until interrupted")
    .addOption(
      new Option("--for <seconds>", "with --follow: stop after this time").argParser(createNumberParser(1, 86_400)),
    )
    .addHelpText("after", SESSION_AFTER)
    .action(showOne)
    .addCommand(createDeleteSessionsCommand());

async function showOne(text: string, options: ShowOptions): Promise<void> {
  const { json, limit: first, after } = options;
  if (after !== undefined && !isUuid(after))
    throw new CommandFailure("--after is not a cursor of this list.", {
      exit: EXIT_CODES.usage,
      cure: "use the id of an event",
    });
  const who = await createCommandContext();
  const session = await findSession(who, text);
  if (options.follow) return followSession(who, session.id, options);
  const { events, next } = await readEventPage(who, session.id, { first, after });
  const depths: EventDepths = new Map();
  printResult(json, { session: toSessionDetail(session), events, next }, () => [
    formatSession(session),
    ...formatSessionChanges(session),
    ...events.map((event) => formatEvent(event, depths)),
    ...(next ? [`more: the same with --after ${next}`] : []),
  ]);
}
