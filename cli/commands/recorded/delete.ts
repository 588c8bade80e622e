import { Command } from "commander";
import { SESSION } from "../../api/documents.ts";
import { EXIT, Failure } from "../../failure.ts";
import { type Paged, paged, withJson } from "../../options.ts";
import { answer } from "../../output/print.ts";
import { askYes } from "../../prompt.ts";
import { chosen, filterOf, type Wanted } from "../../sessions/filter.ts";
import { type SessionNode, sessionLine, sessionOf, sessionRow } from "../../sessions/session.ts";
import { type Worker, worker } from "../../work/caller.ts";
import { listLines, nextOf, type Page } from "../../work/issue.ts";

interface Options extends Paged, Wanted {
  dryRun?: true;
  yes?: true;
}

interface Deleted {
  deleted: number;
  complete: boolean;
}

/** Sessions that one request deletes. */
const SLICE = 100;

const AFTER = `
Names sessions by their ids, or chooses them by options, of which at least one is needed. What arrives for a deleted session
later is refused. For owners. Backups hold what they held: docs/privacy.md.
Examples:
  trackway session delete 0198c0de-0000-7000-8000-000000000002
  trackway session delete --agent claude-code --until 90d --dry-run
`;

/** `trackway session delete`: deletes recorded sessions for good. */
export const deleteCommand = (): Command =>
  withJson(chosen(paged(new Command("delete").description("delete recorded sessions for good"))))
    .argument("[ids...]", "of sessions, or as their agents spell them")
    .option("--dry-run", "list what would be deleted, a page at a time, and delete nothing")
    .option("--yes", "do not ask")
    .addHelpText("after", AFTER)
    .action((ids: string[], _: Options, command: Command) => run(ids, command.optsWithGlobals<Options>()));

async function run(ids: string[], options: Options): Promise<void> {
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

async function show({ ask }: Worker, filter: object, { json, limit: first, after }: Options): Promise<void> {
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
