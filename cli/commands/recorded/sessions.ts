import { Command, Option } from "commander";
import { isUuid } from "../../../formats/uuid.ts";
import { SESSION } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Paged, paged, wholeNumber, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { askYes } from "../../prompt.ts";
import { type Depths, eventLine, eventsOf, follow } from "../../sessions/events.ts";
import { chosen, filterOf, type Wanted } from "../../sessions/filter.ts";
import { changeLines, type SessionNode, sessionLine, sessionOf, sessionRow, wholeRow } from "../../sessions/session.ts";
import { type Worker, worker } from "../../work/caller.ts";
import { listLines, nextOf, type Page } from "../../work/issue.ts";

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

interface DeleteOptions extends Paged, Wanted {
  dryRun?: true;
  yes?: true;
}

interface Deleted {
  deleted: number;
  complete: boolean;
}

/** Sessions that one request deletes. */
const SLICE = 100;

const DELETE = `
Names sessions by their ids, or chooses them by options, of which at least one is needed. What arrives for a deleted session
later is refused. For owners. Backups hold what they held: docs/privacy.md.
Examples:
  trackway session delete 0198c0de-0000-7000-8000-000000000002
  trackway session delete --agent claude-code --until 90d --dry-run
`;

/** `trackway session delete`: deletes recorded sessions for good. */
const deleteCommand = (): Command =>
  withJson(chosen(paged(new Command("delete").description("delete recorded sessions for good"))))
    .argument("[ids...]", "of sessions, or as their agents spell them")
    .option("--dry-run", "list what would be deleted, a page at a time, and delete nothing")
    .option("--yes", "do not ask")
    .addHelpText("after", DELETE)
    .action((ids: string[], _: DeleteOptions, command: Command) =>
      deleteThese(ids, command.optsWithGlobals<DeleteOptions>()),
    );

async function deleteThese(ids: string[], options: DeleteOptions): Promise<void> {
  const filter = filterOf(options);
  const isFiltered = Object.keys(filter).length > 0;
  if (ids.length > 0 === isFiltered) {
    const words = isFiltered ? "Ids and options that choose exclude each other." : "Nothing was chosen to delete.";
    throw new Failure(words, { exit: EXIT.usage, cure: "trackway session delete --help" });
  }
  const who = await worker();
  if (options.dryRun) return show(who, isFiltered ? filter : { id: { in: await idsOf(who, ids) } }, options);
  if (!options.yes) {
    const what = isFiltered ? "all sessions that are chosen" : `${ids.length} session(s)`;
    if (!(await askYes(`Delete ${what} for good?`, "--yes"))) throw new Failure("Stopped; nothing was deleted.");
  }
  const { deleted, complete } = isFiltered
    ? await deleteAll(who, filter)
    : await deleteSome(who, await idsOf(who, ids));
  answer(options.json, { deleted, complete }, () => [
    `Deleted ${deleted} session${deleted === 1 ? "" : "s"}.`,
    ...(complete ? [] : ["The server goes on to remove their last rows."]),
  ]);
}

const idsOf = (who: Worker, ids: string[]): Promise<string[]> =>
  Promise.all(ids.map(async (text) => (await sessionOf(who, text)).id));

async function show({ ask }: Worker, filter: object, { json, limit: first, after }: DeleteOptions): Promise<void> {
  const variables = { filter, first, after };
  const { recordedSessions: page } = await ask<{ recordedSessions: Page<SessionNode> }>(SESSION.list, variables);
  answer(json, { sessions: page.nodes.map(sessionRow), next: nextOf(page) }, () => [
    ...listLines(page, sessionLine, "Nothing would be deleted."),
  ]);
}

async function deleteSome({ ask }: Worker, ids: readonly string[]): Promise<Deleted> {
  let all: Deleted = { deleted: 0, complete: true };
  for (let from = 0; from < ids.length; from += SLICE) {
    const { recordedSessionsDelete: one } = await ask<{
      recordedSessionsDelete: { sessions: number; complete: boolean };
    }>(SESSION.delete, { ids: ids.slice(from, from + SLICE) });
    all = { deleted: all.deleted + one.sessions, complete: all.complete && one.complete };
  }
  return all;
}

/** Deletes the first page of what a filter chooses, until there is none. */
async function deleteAll(who: Worker, filter: object): Promise<Deleted> {
  let all: Deleted = { deleted: 0, complete: true };
  for (;;) {
    const { recordedSessions: page } = await who.ask<{ recordedSessions: { nodes: { id: string }[] } }>(SESSION.ids, {
      filter,
      first: SLICE,
    });
    const ids = page.nodes.map(({ id }) => id);
    const { deleted, complete } = await deleteSome(who, ids);
    all = { deleted: all.deleted + deleted, complete: all.complete && complete };
    if (ids.length < SLICE || deleted === 0) return all;
  }
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
    .addCommand(deleteCommand());

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
