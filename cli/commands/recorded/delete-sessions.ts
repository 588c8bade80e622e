import { Command } from "commander";
import { SESSION } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Moment, type Paged, paged, withJson } from "../../options.ts";
import { answer, tell } from "../../output/print.ts";
import { checkConfirmable, confirmRemoval } from "../../removal.ts";
import { chosen, filterOf, type Wanted } from "../../sessions/filter.ts";
import { type SessionNode, sessionLine, sessionOf, sessionRow } from "../../sessions/session.ts";
import { type Worker, worker } from "../../work/caller.ts";
import { listLines, nextOf, type Page } from "../../work/issue.ts";

interface Options extends Paged, Wanted {
  dryRun?: true;
  yes?: true;
}

/** Sessions that one request lists and deletes. */
const SLICE = 100;

const AFTER = `
Names sessions by their ids, or chooses them by options, of which at least one is needed. It shows how many they are, the first
and the last, and deletes those alone: a session that begins meanwhile stays. One that changes meanwhile is deleted, unless
it is no longer in the --state that was asked for. Without a terminal --yes confirms, with ids or with an absolute --since or
--until, which means the same whenever it runs. What arrives for a deleted session later is refused. For owners. Backups
hold what they held: docs/privacy.md.
Examples:
  trackway session delete 0198c0de-0000-7000-8000-000000000002
  trackway session delete --agent claude-code --until 90d --dry-run
  trackway session delete --agent claude-code --until 2026-01-31 --yes
`;

/** `trackway session delete`: deletes recorded sessions for good. */
export const deleteSessionsCommand = (): Command =>
  withJson(chosen(paged(new Command("delete").description("delete recorded sessions for good"))))
    .argument("[ids...]", "of sessions, or as their agents spell them")
    .option("--dry-run", "list what would be deleted, a page at a time, and delete nothing")
    .option("--yes", "do not ask; needs ids, or an absolute --since or --until such as 2026-01-31")
    .addHelpText("after", AFTER)
    .action((ids: string[], _: Options, command: Command) => run(ids, command.optsWithGlobals<Options>()));

async function run(ids: string[], options: Options): Promise<void> {
  const filter = filterOf(options);
  const isFiltered = Object.keys(filter).length > 0;
  if (ids.length > 0 === isFiltered) {
    const words = isFiltered ? "Ids and options that choose exclude each other." : "Nothing was chosen to delete.";
    throw new Failure(words, { exit: EXIT.usage, cure: "trackway session delete --help" });
  }
  if (!options.dryRun) checkConfirmable(options.yes);
  if (isFiltered && options.yes && !options.dryRun) checkAbsolute(options);
  const who = await worker();
  const found = isFiltered && options.dryRun ? undefined : await (isFiltered ? find(who, filter) : named(who, ids));
  if (!found || options.dryRun) return show(who, found ? { id: { in: found.ids } } : filter, options);
  if (found.ids.length > 0) await confirmRemoval({ ...found, count: found.ids.length, noun: "session" }, options.yes);
  const result = await remove(who, found.ids, options);
  answer(options.json, result, () => linesOf(result));
}

/**
 * Sees that --yes confirms the same sessions whenever it runs: a script that is late, or repeated, deletes no more.
 * @throws Failure with the absolute form to paste
 */
function checkAbsolute({ since, until }: Wanted): void {
  const given: [string, Moment | undefined][] = [
    ["--since", since],
    ["--until", until],
  ];
  const times = given.flatMap(([name, time]) => (time ? [{ name, ...time }] : []));
  const relative = times.find(({ isRelative }) => isRelative);
  if (times.length > 0 && !relative) return;
  const words = relative
    ? `${relative.name} ${relative.text} means another time whenever it runs, and --yes needs an absolute one.`
    : "--yes needs ids, or an absolute --since or --until.";
  const parts = times.length > 0 ? times : [{ name: "--until", at: new Date().toISOString() }];
  const cure = `trackway session delete ... ${parts.map(({ name, at }) => `${name} ${at}`).join(" ")} --yes`;
  throw new Failure(words, { exit: EXIT.usage, cure });
}

async function show({ ask }: Worker, filter: object, { json, limit: first, after }: Options): Promise<void> {
  const variables = { filter, first, after };
  const { recordedSessions: page } = await ask<{ recordedSessions: Page<SessionNode> }>(SESSION.list, variables);
  answer(json, { sessions: page.nodes.map(sessionRow), next: nextOf(page) }, () => [
    ...listLines(page, sessionLine, "Nothing would be deleted."),
  ]);
}

/** Sessions to delete, with the lines of the first and the last, by when they began. */
interface Found {
  ids: string[];
  first: string;
  last: string;
}

async function named(who: Worker, texts: string[]): Promise<Found> {
  const nodes = new Map<string, SessionNode>();
  for (const text of texts) {
    const node = await sessionOf(who, text);
    nodes.set(node.id, node);
  }
  const sorted = [...nodes.values()].sort((one, other) => (one.startedAt < other.startedAt ? -1 : 1));
  const line = (node: SessionNode | undefined) => (node ? sessionLine(node) : "");
  return { ids: sorted.map(({ id }) => id), first: line(sorted[0]), last: line(sorted.at(-1)) };
}

/** All sessions that a filter chooses now. */
async function find({ ask }: Worker, filter: object): Promise<Found> {
  const ids: string[] = [];
  let searchedSince: string | null = null;
  for (let after: string | null = null, more = true; more; more = after !== null) {
    const variables = { filter, first: SLICE, after };
    const { recordedSessions: page } = await ask<{
      recordedSessions: Page<{ id: string }> & { searchedSince: string | null };
    }>(SESSION.ids, variables);
    ids.push(...page.nodes.map(({ id }) => id));
    after = nextOf(page);
    searchedSince = page.searchedSince;
  }
  if (searchedSince) tell(`Sessions before ${searchedSince} were not searched, and are kept.`);
  const [first, last] = await linesFor({ ask }, [ids.at(-1) ?? "", ids[0] ?? ""]);
  return { ids, first, last };
}

/** The lines of two sessions. */
async function linesFor({ ask }: Pick<Worker, "ask">, ids: [string, string]): Promise<[string, string]> {
  const variables = { filter: { id: { in: ids } }, first: ids.length };
  const { recordedSessions: page } = await ask<{ recordedSessions: Page<SessionNode> }>(SESSION.list, variables);
  const lines = new Map(page.nodes.map((node) => [node.id, sessionLine(node)]));
  return [lines.get(ids[0]) ?? ids[0], lines.get(ids[1]) ?? ids[1]];
}

interface Deleted {
  deleted: number;
  /** Sessions that were shown and did not match any more. */
  kept: number;
  complete: boolean;
}

/**
 * Deletes sessions by their ids. Of the options that choose sessions only the state can stop to match: the others are about what
 * was recorded, of which nothing goes.
 */
async function remove({ ask }: Worker, ids: readonly string[], { state }: Options): Promise<Deleted> {
  const all = { deleted: 0, kept: 0, complete: true };
  for (let from = 0; from < ids.length; from += SLICE) {
    const slice = ids.slice(from, from + SLICE);
    const still = state === undefined ? slice : await matching({ ask }, slice, filterOf({ state }));
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

async function matching({ ask }: Pick<Worker, "ask">, ids: readonly string[], filter: object): Promise<string[]> {
  const variables = { filter: { and: [{ id: { in: ids } }, filter] }, first: SLICE };
  const { recordedSessions } = await ask<{ recordedSessions: Page<{ id: string }> }>(SESSION.ids, variables);
  return recordedSessions.nodes.map(({ id }) => id);
}

const linesOf = ({ deleted, kept, complete }: Deleted): string[] => [
  `Deleted ${deleted} session${deleted === 1 ? "" : "s"}.`,
  ...(kept > 0 ? [`Kept ${kept} that changed meanwhile and did not match any more.`] : []),
  ...(complete ? [] : ["The server goes on to remove their last rows."]),
];
