import { BLAME } from "../api/documents.ts";
import type { Worker } from "../work/caller.ts";
import {
  addedBefore,
  addedBy,
  type BlamedLine,
  commitsOf,
  foldersOf,
  formsOf,
  type GitCommit,
  isBefore,
  linesOf,
  patchIdsOf,
  Unknown,
} from "./git.ts";
import { changesOf, placesOf, type RecordedCommit, recordedOf } from "./record.ts";
import { type Evidence, isTelling, NEAR, writerOf } from "./writers.ts";

/** An event that something comes from, and what is known around it. Part of the interface: docs/cli.md. */
export interface Origin {
  event: string;
  at: string;
  agent: string | null;
  user: string | null;
  session: string;
  turn: string | null;
  /** The question or task of the turn; its first 2,000 characters. */
  asked: string | null;
  issues: string[];
  /** US dollars that the whole session cost. */
  cost: number | null;
  costSource: string;
}

/** A line with what is recorded of it. Part of the interface: docs/cli.md. */
export interface Blamed {
  path: string;
  line: number;
  text: string;
  commit: string | null;
  message: string | null;
  author: string | null;
  /** The way in which it is known: by the commit's `id`, by its `patch`, by the `lines` that were added; null for unknown. */
  by: "id" | "patch" | "lines" | null;
  /** The reason why who wrote it could not be looked up; null where it could. */
  unknown: string | null;
  written: Origin | null;
  committed: Origin | null;
}

type Known = RecordedCommit & { by: "id" | "patch" };

/** Lines of a file with what is recorded of each: who wrote it, and who committed it. `path` is below `folder`. */
export async function blame({ ask }: Worker, folder: string, path: string, range: string): Promise<Blamed[]> {
  const folders = await foldersOf(folder);
  const top = folders[0] ?? folder;
  const lines = await linesOf(folder, path, range);
  const ids = [...new Set(lines.flatMap(({ commit }) => commit ?? []))];
  const commits = new Map((await commitsOf(top, ids)).map((commit) => [commit.id, commit]));
  const known = await knownOf(ask, top, [...commits.values()]);
  const places = placesOf(ask, folders);
  const originOf = origins(ask, places.writerOf);
  const groups = new Map<string, BlamedLine[]>();
  for (const line of lines) {
    const key = `${line.commit} ${line.path}`;
    groups.set(key, [...(groups.get(key) ?? []), line]);
  }
  const blamed: Blamed[] = [];
  for (const group of groups.values()) {
    const [{ commit: id = "", path: then } = { path }] = group;
    const commit = commits.get(id);
    const recorded = known.get(id);
    const until = recorded?.at ?? (commit ? commit.committed * 1000 + 999 : Date.now());
    const source = { ask, top, placeOf: places.placeOf };
    const evidence = await evidenceOf(source, commit, then, group, until).catch(unknown);
    const committed = recorded ? await originOf(recorded.event, recorded.session) : null;
    for (const line of group) {
      const writer = evidence instanceof Unknown ? undefined : evidence && writerOf(evidence, line.at);
      blamed.push({
        path,
        line: line.line,
        text: line.text,
        commit: commit?.id ?? null,
        message: commit?.subject ?? null,
        author: commit?.author ?? null,
        by: recorded?.by ?? (writer ? "lines" : null),
        unknown: evidence instanceof Unknown ? evidence.message : null,
        written: writer ? await originOf(writer.event, writer.session) : null,
        committed,
      });
    }
  }
  return blamed.sort((one, other) => one.line - other.line);
}

/** The commits that are recorded: under their id, or under that of another form of the same patch. */
async function knownOf(ask: Worker["ask"], top: string, commits: readonly GitCommit[]): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  for (const [id, recorded] of await recordedOf(ask, commits)) known.set(id, { ...recorded, by: "id" });
  const rest = commits.filter(({ id }) => !known.has(id));
  const forms = await formsOf(top, rest);
  const recorded = await recordedOf(ask, [...forms.values()].flat());
  for (const commit of rest) {
    const others = (forms.get(commit.id) ?? []).filter(({ id }) => recorded.has(id));
    if (others.length === 0) continue;
    const patches = await patchIdsOf(top, [commit.id, ...others.map(({ id }) => id)]);
    const patch = patches.get(commit.id);
    const same = patch === undefined ? undefined : others.find(({ id }) => patches.get(id) === patch);
    const found = same && recorded.get(same.id);
    // A patch that is put back on top of itself is somebody else's doing.
    if (found && !(await isBefore(top, same.id, commit.id))) known.set(commit.id, { ...found, by: "patch" });
  }
  return known;
}

type Source = { ask: Worker["ask"]; top: string; placeOf: ReturnType<typeof placesOf>["placeOf"] };

/** Takes the reason why something is unknown for an answer. */
function unknown(error: unknown): Unknown {
  if (error instanceof Unknown) return error;
  throw error;
}

/**
 * All that is recorded and in git about who wrote lines of a commit. Undefined where none of them says anything.
 * @throws Unknown where it is too much to be compared
 */
async function evidenceOf(
  { ask, top, placeOf }: Source,
  commit: GitCommit | undefined,
  path: string,
  group: readonly BlamedLine[],
  until: number,
): Promise<Evidence | undefined> {
  const blocks = await addedBy(top, commit, path);
  const near = blocks.flatMap(({ from, lines }) =>
    lines.filter((_line, at) => group.some((each) => Math.abs(each.at - from - at) <= NEAR)),
  );
  const telling = near.filter(isTelling);
  if (telling.length === 0) return undefined;
  const all = await changesOf(ask, path, telling);
  const earlier = await addedBefore(top, commit, path);
  const placed = await Promise.all(all.map(async (change) => ({ ...change, place: await placeOf(change, path) })));
  const changes = placed
    .filter(({ at, place }) => at <= until && place !== "elsewhere")
    .map(({ place, ...change }) => ({ ...change, isDoubtful: place === "doubtful" }));
  return { blocks, changes, earlier };
}

/** Finds the turn, session and issues of events. Each is asked for once. */
function origins(ask: Worker["ask"], writerOf: ReturnType<typeof placesOf>["writerOf"]) {
  type Data = { recordedEvent: { timestamp: string; turn: { id: string; args: string } | null } };
  const known = new Map<string, Promise<Origin>>();
  const find = async (event: string, session: string): Promise<Origin> => {
    const [{ recordedEvent }, writer] = await Promise.all([ask<Data>(BLAME.event, { id: event }), writerOf(session)]);
    return {
      event,
      at: recordedEvent.timestamp,
      agent: writer.brief.agent ?? writer.source,
      user: writer.user?.id ?? null,
      session,
      turn: recordedEvent.turn?.id ?? null,
      asked: recordedEvent.turn?.args ?? null,
      issues: writer.issues.nodes.map(({ identifier }) => identifier),
      cost: writer.totals.cost,
      costSource: writer.totals.costSource,
    };
  };
  return (event: string, session: string): Promise<Origin> => {
    const found = known.get(event) ?? find(event, session);
    known.set(event, found);
    return found;
  };
}
