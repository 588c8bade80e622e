import { Command } from "commander";
import { SESSION } from "../../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { addJsonOption, addPageOptions, type MomentOption, type PageOptions } from "../../options.ts";
import { printResult, printToStderr } from "../../output/print.ts";
import { assertConfirmationPossible, confirmRemoval } from "../../removal.ts";
import { addSessionOptions, buildSessionFilter, type SessionOptions } from "../../sessions/filter.ts";
import { findSession, formatSession, type SessionNode, toSessionRow } from "../../sessions/session.ts";
import { type CommandContext, createCommandContext } from "../../work/caller.ts";
import { formatPage, type GraphqlPage, readNextCursor } from "../../work/issue.ts";

interface Options extends PageOptions, SessionOptions {
  dryRun?: true;
  yes?: true;
}

/** Number of sessions per request to list or delete. */
const SLICE = 100;

const AFTER = `
Give session ids, or at least one option that selects sessions. The command shows the number of sessions, the first and the last,
and deletes exactly these sessions. Sessions that start later stay. A session that leaves the requested --state also stays.
Without a terminal, confirm with --yes, together with ids or an absolute --since or --until. The server rejects events that
arrive later for a deleted session. Only owners can delete sessions. Backups still contain deleted sessions: see docs/privacy.md.
Examples:
  trackway session delete 0198c0de-0000-7000-8000-000000000002
  trackway session delete --agent claude-code --until 90d --dry-run
  trackway session delete --agent claude-code --until 2026-01-31 --yes
`;

/** `trackway session delete`: deletes recorded sessions permanently. */
export const createDeleteSessionsCommand = (): Command =>
  addJsonOption(
    addSessionOptions(addPageOptions(new Command("delete").description("delete recorded sessions permanently"))),
  )
    .argument("[ids...]", "session ids, of Trackway or of the agent")
    .option("--dry-run", "list the sessions page by page, and delete nothing")
    .option("--yes", "do not ask; requires ids, or an absolute --since or --until such as 2026-01-31")
    .addHelpText("after", AFTER)
    .action((ids: string[], _: Options, command: Command) => run(ids, command.optsWithGlobals<Options>()));

async function run(ids: string[], options: Options): Promise<void> {
  const filter = buildSessionFilter(options);
  const isFiltered = Object.keys(filter).length > 0;
  if (ids.length > 0 === isFiltered) {
    const words = isFiltered
      ? "You cannot combine session ids with options that select sessions."
      : "No sessions were selected.";
    throw new CommandFailure(words, { exit: EXIT_CODES.usage, cure: "trackway session delete --help" });
  }
  if (!options.dryRun) assertConfirmationPossible(options.yes);
  if (isFiltered && options.yes && !options.dryRun) checkAbsolute(options);
  const who = await createCommandContext();
  const found = isFiltered && options.dryRun ? undefined : await (isFiltered ? find(who, filter) : named(who, ids));
  if (!found || options.dryRun) return show(who, found ? { id: { in: found.ids } } : filter, options);
  if (found.ids.length > 0) await confirmRemoval({ ...found, count: found.ids.length, noun: "session" }, options.yes);
  const result = await remove(who, found.ids, options);
  printResult(options.json, result, () => linesOf(result));
}

/**
 * Checks that a command with --yes selects sessions by absolute times. With a relative time, a delayed or repeated
 * script would select and delete other sessions.
 * @throws CommandFailure with the absolute times, which the user can paste into the command
 */
function checkAbsolute({ since, until }: SessionOptions): void {
  const given: [string, MomentOption | undefined][] = [
    ["--since", since],
    ["--until", until],
  ];
  const times = given.flatMap(([name, time]) => (time ? [{ name, ...time }] : []));
  const relative = times.find(({ isRelative }) => isRelative);
  if (times.length > 0 && !relative) return;
  const words = relative
    ? `${relative.name} ${relative.text} depends on the current time, and --yes requires an absolute time.`
    : "--yes requires ids, or an absolute --since or --until.";
  const parts = times.length > 0 ? times : [{ name: "--until", at: new Date().toISOString() }];
  const cure = `trackway session delete ... ${parts.map(({ name, at }) => `${name} ${at}`).join(" ")} --yes`;
  throw new CommandFailure(words, { exit: EXIT_CODES.usage, cure });
}

async function show({ ask }: CommandContext, filter: object, { json, limit: first, after }: Options): Promise<void> {
  const variables = { filter, first, after };
  const { recordedSessions: page } = await ask<{ recordedSessions: GraphqlPage<SessionNode> }>(SESSION.list, variables);
  printResult(json, { sessions: page.nodes.map(toSessionRow), next: readNextCursor(page) }, () => [
    ...formatPage(page, formatSession, "No matching sessions to delete."),
  ]);
}

/** Sessions to delete, with the output lines of the first and the last session by start time. */
interface Found {
  ids: string[];
  first: string;
  last: string;
}

async function named(who: CommandContext, texts: string[]): Promise<Found> {
  const nodes = new Map<string, SessionNode>();
  for (const text of texts) {
    const node = await findSession(who, text);
    nodes.set(node.id, node);
  }
  const sorted = [...nodes.values()].sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
  const line = (node: SessionNode | undefined) => (node ? formatSession(node) : "");
  return { ids: sorted.map(({ id }) => id), first: line(sorted[0]), last: line(sorted.at(-1)) };
}

/** Returns all sessions that match a filter at this time. */
async function find({ ask }: CommandContext, filter: object): Promise<Found> {
  const ids: string[] = [];
  let searchedSince: string | null = null;
  for (let after: string | null = null, more = true; more; more = after !== null) {
    const variables = { filter, first: SLICE, after };
    const { recordedSessions: page } = await ask<{
      recordedSessions: GraphqlPage<{ id: string }> & { searchedSince: string | null };
    }>(SESSION.ids, variables);
    ids.push(...page.nodes.map(({ id }) => id));
    after = readNextCursor(page);
    searchedSince = page.searchedSince;
  }
  if (searchedSince) printToStderr(`Sessions before ${searchedSince} were not searched and are not deleted.`);
  const [first, last] = await linesFor({ ask }, [ids.at(-1) ?? "", ids[0] ?? ""]);
  return { ids, first, last };
}

/** Returns the output lines of two sessions. */
async function linesFor({ ask }: Pick<CommandContext, "ask">, ids: [string, string]): Promise<[string, string]> {
  const variables = { filter: { id: { in: ids } }, first: ids.length };
  const { recordedSessions: page } = await ask<{ recordedSessions: GraphqlPage<SessionNode> }>(SESSION.list, variables);
  const lines = new Map(page.nodes.map((node) => [node.id, formatSession(node)]));
  return [lines.get(ids[0]) ?? ids[0], lines.get(ids[1]) ?? ids[1]];
}

interface Deleted {
  deleted: number;
  /** Number of sessions that were shown but no longer match. */
  kept: number;
  complete: boolean;
}

/**
 * Deletes sessions by id. Before the deletion, checks the option --state again, because a session's state can change
 * after the user confirmed. The other options need no second check: they select by recorded data, which later events do
 * not remove.
 */
async function remove({ ask }: CommandContext, ids: readonly string[], { state }: Options): Promise<Deleted> {
  const all = { deleted: 0, kept: 0, complete: true };
  for (let from = 0; from < ids.length; from += SLICE) {
    const slice = ids.slice(from, from + SLICE);
    const still = state === undefined ? slice : await matching({ ask }, slice, buildSessionFilter({ state }));
    all.kept += slice.length - still.length;
    if (still.length === 0) continue;
    const { recordedSessionsDelete: one } = await ask<{
      recordedSessionsDelete: { sessions: number; complete: boolean };
    }>(SESSION.delete, { ids: still });
    all.deleted += one.sessions;
    all.complete &&= one.complete;
  }
  return all;
}

async function matching(
  { ask }: Pick<CommandContext, "ask">,
  ids: readonly string[],
  filter: object,
): Promise<string[]> {
  const variables = { filter: { and: [{ id: { in: ids } }, filter] }, first: SLICE };
  const { recordedSessions } = await ask<{ recordedSessions: GraphqlPage<{ id: string }> }>(SESSION.ids, variables);
  return recordedSessions.nodes.map(({ id }) => id);
}

const linesOf = ({ deleted, kept, complete }: Deleted): string[] => [
  `Deleted ${deleted} session${deleted === 1 ? "" : "s"}.`,
  ...(kept > 0 ? [`Kept ${kept}, which changed in the meantime and no longer match.`] : []),
  ...(complete ? [] : ["The server is still deleting the remaining data of these sessions."]),
];
