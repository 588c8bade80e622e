import { hostname } from "node:os";
import { BLAME } from "../api/documents.ts";
import { EXIT, Failure } from "../failure.ts";
import type { SessionNode } from "../sessions/session.ts";
import type { Worker } from "../work/caller.ts";
import { commitsNamed, type GitCommit, Unknown } from "./git.ts";
import { type Change, kept } from "./writers.ts";

type Ask = Worker["ask"];
interface Named {
  id: string;
}

/** A recorded session, with what shows which repository it worked in. */
export interface Writer extends SessionNode {
  metadata: { cwd?: unknown; host?: unknown };
  issues: { nodes: { identifier: string }[] };
  commits: { nodes: { id: string; message: string }[] };
}

/** A commit as it is recorded. */
export interface RecordedCommit {
  event: string;
  session: string;
  /** Epoch ms. */
  at: number;
}

/** A recorded change of a file, with the path that it was recorded under. */
export interface FileChange extends Change {
  path: string;
}

/** Names that one question takes, lines likewise, and pages of changes that are read. */
const [NAMES, LINES, PAGES, PAGE] = [50, 50, 10, 50];
/** Characters of a message that a recording keeps. */
const MESSAGE = 500;

const slices = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

/** The recorded commits of some of the repository, by their whole ids: the same id, as far as git printed it, and the same message. */
export async function recordedOf(ask: Ask, commits: readonly GitCommit[]): Promise<Map<string, RecordedCommit>> {
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

/** The recorded changes of a file that added one of some lines. @throws Unknown where there are too many to be compared */
export async function changesOf(ask: Ask, path: string, lines: readonly string[]): Promise<FileChange[]> {
  type Node = { path: string; lines: string[]; createdAt: string; event: Named | null; session: Named | null };
  type Data = { recordedFiles: { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } } };
  const found = new Map<string, FileChange>();
  for (const some of slices([...new Set(lines.map(kept))], LINES)) {
    for (let [page, after] = [0, null as string | null]; ; page += 1) {
      if (page === PAGES) throw new Unknown(`more than ${PAGES * PAGE} recorded changes added these lines`);
      const { recordedFiles } = await ask<Data>(BLAME.changes, { path, lines: some, first: PAGE, after }).catch(
        (error) => {
          throw isTooMuch(error) ? new Unknown(`${path}: ${error.message}`) : error;
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

/** The server refuses to compare what would take it too long, and says why: an answer about lines, not the end of the command. */
const isTooMuch = (error: unknown): error is Failure => error instanceof Failure && error.exit === EXIT.usage;

/** The place of a change: in this repository, in another, or perhaps in this. */
export type Place = "here" | "elsewhere" | "doubtful";

/** Finds out where sessions worked. Each is asked for once. */
export function placesOf(ask: Ask, folders: readonly string[]) {
  const writers = new Map<string, Promise<Writer>>();
  const committed = new Map<string, Promise<boolean>>();
  const writerOf = (id: string): Promise<Writer> => {
    const asked =
      writers.get(id) ??
      ask<{ recordedSession: Writer }>(BLAME.session, { id }).then(({ recordedSession }) => recordedSession);
    writers.set(id, asked);
    return asked;
  };
  /** True for a session of which this repository has a commit. */
  const hasCommitted = (writer: Writer): Promise<boolean> => {
    const known = committed.get(writer.id) ?? isCommitter(folders[0] ?? ".", writer);
    committed.set(writer.id, known);
    return known;
  };
  const placeOf = async ({ session, path: recorded }: FileChange, path: string): Promise<Place> => {
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

async function isCommitter(folder: string, { commits }: Writer): Promise<boolean> {
  if (commits.nodes.length === 0) return false;
  const found = await commitsNamed(
    folder,
    commits.nodes.map(({ id }) => id),
  );
  return found.some((commit) => commits.nodes.some((recorded) => isSame(commit, recorded)));
}
