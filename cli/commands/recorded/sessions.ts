import { Command, Option } from "commander";
import { isUuid } from "../../../formats/uuid.ts";
import { SESSION } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Paged, paged, wholeNumber, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { type Depths, eventLine, eventsOf, follow } from "../../sessions/events.ts";
import { chosen, filterOf, type Wanted } from "../../sessions/filter.ts";
import { changeLines, type SessionNode, sessionLine, sessionOf, sessionRow, wholeRow } from "../../sessions/session.ts";
import { worker } from "../../work/caller.ts";
import { listLines, nextOf, type Page } from "../../work/issue.ts";
import { deleteSessionsCommand } from "./delete-sessions.ts";

type ListOptions = Paged & Wanted;

const LIST = `
Examples:
  trackway sessions --failed --since 2d
  trackway sessions --agent claude-code --limit 5
`;

/** `trackway sessions`: what was recorded of agents. */
export const sessionsCommand = (): Command =>
  withJson(chosen(paged(new Command("sessions").description("list recorded sessions of agents, the newest first"))))
    .addHelpText("after", LIST)
    .action(list);

async function list({ json, limit, after, ...wanted }: ListOptions): Promise<void> {
  const filter = filterOf(wanted);
  const { ask } = await worker();
  const { recordedSessions: page } = await ask<{
    recordedSessions: Page<SessionNode> & { searchedSince: string | null };
  }>(SESSION.list, {
    filter,
    first: limit,
    after,
  });
  const { searchedSince } = page;
  const found = { sessions: page.nodes.map(sessionRow), next: nextOf(page), ...(searchedSince && { searchedSince }) };
  answer(json, found, () => [
    ...listLines(page, sessionLine, "Nothing was recorded."),
    ...(searchedSince ? [`Sessions before ${searchedSince} were not searched.`] : []),
  ]);
}

interface ShowOptions extends Paged {
  follow?: true;
  for?: number;
}

const SESSION_AFTER = `
Events are indented below what called them; texts are cut at 160 characters. With --follow and --json each event is a line.
Examples:
  trackway session 0198c0de-0000-7000-8000-000000000002
  trackway session 0198c0de-0000-7000-8000-000000000002 --follow
`;

/** `trackway session`: the events of one recorded session. */
export const sessionCommand = (): Command =>
  withJson(paged(new Command("session").description("show the events of a recorded session, the oldest first"), 1_000))
    .argument("<id>", "of the session, or as its agent spells it")
    .option("-f, --follow", "go on with what comes, until interrupted")
    .addOption(new Option("--for <seconds>", "with --follow: end then").argParser(wholeNumber(1, 86_400)))
    .addHelpText("after", SESSION_AFTER)
    .action(showOne)
    .addCommand(deleteSessionsCommand());

async function showOne(text: string, options: ShowOptions): Promise<void> {
  const { json, limit: first, after } = options;
  if (after !== undefined && !isUuid(after))
    throw new Failure("--after is no cursor of this list.", { exit: EXIT.usage, cure: "the id of an event" });
  const who = await worker();
  const session = await sessionOf(who, text);
  if (options.follow) return follow(who, session.id, options);
  const { events, next } = await eventsOf(who, session.id, { first, after });
  const depths: Depths = new Map();
  answer(json, { session: wholeRow(session), events, next }, () => [
    sessionLine(session),
    ...changeLines(session),
    ...events.map((event) => eventLine(event, depths)),
    ...(next ? [`more: the same with --after ${next}`] : []),
  ]);
}
