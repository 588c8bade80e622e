import { hostname } from "node:os";
import { BLAME } from "../api/documents.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import type { SessionNode } from "../sessions/session.ts";
import type { CommandContext } from "../work/caller.ts";
import { findCommits, type GitCommit, UnknownWriterError } from "./git.ts";
import { type RecordedChange, truncateToStoredLength } from "./writers.ts";

type Ask = CommandContext["ask"];
interface Named {
  id: string;
}

/** A recorded session, with the data that identifies its repository. */
export interface WriterSession extends SessionNode {
  metadata: { cwd?: unknown; host?: unknown };
  issues: { nodes: { identifier: string }[] };
  commits: { nodes: { id: string; message: string }[] };
}

export interface RecordedCommit {
  event: string;
  session: string;
  /** Epoch ms. */
  at: number;
}

/** A recorded change of a file, with the path of the file as the recording contains it. */
export interface RecordedFileChange extends RecordedChange {
  path: string;
}

/**
 * Limits for requests. NAMES: commit ids per request. LINES: lines per request. PAGES: pages that are read for one
 * group of lines. PAGE: changes per page.
 */
const [NAMES, LINES, PAGES, PAGE] = [50, 50, 10, 50];
/** Number of characters of a commit message that the recording stores. The rest of the message is cut off. */
const MESSAGE = 500;

const slices = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

/**
 * Finds the recorded commits that match the given commits, and returns them by full commit id. The recording may
 * contain abbreviated ids, because agents' git output often abbreviates ids. Therefore a match also requires equal
 * messages.
 */
export async function findRecordedCommits(
  ask: Ask,
  commits: readonly GitCommit[],
): Promise<Map<string, RecordedCommit>> {
  type Node = { id: string; message: string; createdAt: string; event: Named | null; session: Named | null };
  const found: Node[] = [];
  for (const some of slices(commits, NAMES)) {
    const shas = some.map(({ id }) => id);
    const { recordedCommits } = await ask<{ recordedCommits: { nodes: Node[] } }>(BLAME.commits, { shas });
    found.push(...recordedCommits.nodes);
  }
  const oldest = found.sort((one, other) => (one.createdAt < other.createdAt ? -1 : 1));
  return new Map(
    commits.flatMap((commit) => {
      const same = oldest.find(({ id, message }) => isSame(commit, { id, message }));
      if (!same?.event || !same.session) return [];
      return [[commit.id, { event: same.event.id, session: same.session.id, at: Date.parse(same.createdAt) }] as const];
    }),
  );
}

const isSame = (commit: GitCommit, recorded: { id: string; message: string }): boolean =>
  commit.id.startsWith(recorded.id) && commit.subject.slice(0, MESSAGE) === recorded.message;

/**
 * Returns the recorded changes of a file that added at least one of the given lines.
 * @throws UnknownWriterError if too many changes match
 */
export async function findRecordedChanges(
  ask: Ask,
  path: string,
  lines: readonly string[],
): Promise<RecordedFileChange[]> {
  type Node = { path: string; lines: string[]; createdAt: string; event: Named | null; session: Named | null };
  type Data = { recordedFiles: { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } };
  const found = new Map<string, RecordedFileChange>();
  for (const some of slices([...new Set(lines.map(truncateToStoredLength))], LINES)) {
    for (let [page, after] = [0, null as string | null]; ; page += 1) {
      if (page === PAGES) throw new UnknownWriterError(`more than ${PAGES * PAGE} recorded changes added these lines`);
      const { recordedFiles } = await ask<Data>(BLAME.changes, { path, lines: some, first: PAGE, after }).catch(
        (error) => {
          throw isTooMuch(error) ? new UnknownWriterError(`${path}: ${error.message}`) : error;
        },
      );
      for (const { event, session, createdAt, ...change } of recordedFiles.nodes)
        if (event && session)
          found.set(`${event.id} ${change.path}`, {
            ...change,
            event: event.id,
            session: session.id,
            at: Date.parse(createdAt),
          });
      after = recordedFiles.pageInfo.endCursor;
      if (!recordedFiles.pageInfo.hasNextPage) break;
    }
  }
  return [...found.values()];
}

/**
 * Returns true if the server refused the request because the comparison is too expensive. A refused request affects
 * only a few lines, so the command continues.
 */
const isTooMuch = (error: unknown): error is CommandFailure =>
  error instanceof CommandFailure && error.exit === EXIT_CODES.usage;

/**
 * Repository in which a change was made: this repository (`here`), another repository (`elsewhere`), or not certain
 * (`doubtful`).
 */
export type ChangeLocation = "here" | "elsewhere" | "doubtful";

/**
 * Creates two functions. `writerOf` reads a session, and requests each session only once. `placeOf` finds out in which
 * repository a change was made.
 */
export function createChangeLocator(ask: Ask, folders: readonly string[]) {
  const writers = new Map<string, Promise<WriterSession>>();
  const committed = new Map<string, Promise<boolean>>();
  const writerOf = (id: string): Promise<WriterSession> => {
    const asked =
      writers.get(id) ??
      ask<{ recordedSession: WriterSession }>(BLAME.session, { id }).then(({ recordedSession }) => recordedSession);
    writers.set(id, asked);
    return asked;
  };
  /** Returns true if this repository contains a commit of the session. */
  const hasCommitted = (writer: WriterSession): Promise<boolean> => {
    const known = committed.get(writer.id) ?? isCommitter(folders[0] ?? ".", writer);
    committed.set(writer.id, known);
    return known;
  };
  const placeOf = async ({ session, path: recorded }: RecordedFileChange, path: string): Promise<ChangeLocation> => {
    const writer = await writerOf(session);
    const cwd = typeof writer.metadata.cwd === "string" ? writer.metadata.cwd.replaceAll("\\", "/") : undefined;
    const whole = /^(?:\/|[A-Za-z]:)/.test(recorded) || cwd === undefined ? recorded : `${cwd}/${recorded}`;
    if (!whole.endsWith(`/${path}`)) return "doubtful";
    const root = whole.slice(0, -path.length - 1);
    const isLocal = folders.includes(root);
    if (isLocal && writer.metadata.host === hostname()) return "here";
    const isInside = cwd === root || cwd?.startsWith(`${root}/`) === true;
    if (isInside && (await hasCommitted(writer))) return "here";
    return isLocal ? "doubtful" : "elsewhere";
  };
  return { writerOf, placeOf };
}

async function isCommitter(folder: string, { commits }: WriterSession): Promise<boolean> {
  if (commits.nodes.length === 0) return false;
  const found = await findCommits(
    folder,
    commits.nodes.map(({ id }) => id),
  );
  return found.some((commit) => commits.nodes.some((recorded) => isSame(commit, recorded)));
}
