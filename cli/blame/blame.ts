import { groupBy } from "../../formats/groups.ts";
import { BLAME } from "../api/documents.ts";
import type { CommandContext } from "../work/caller.ts";
import {
  type BlamedLine,
  findRewrittenCommits,
  type GitCommit,
  isAncestor,
  listWorkingTrees,
  readAddedBlocks,
  readBlamedLines,
  readCommits,
  readEarlierLines,
  readPatchIds,
  UnknownWriterError,
} from "./git.ts";
import { createChangeLocator, findRecordedChanges, findRecordedCommits, type RecordedCommit } from "./record.ts";
import { findWriter, isSpecificLine, MAX_NEIGHBOR_DISTANCE, type WriterEvidence } from "./writers.ts";

/**
 * A recorded event that wrote or committed a line, with its session, turn and issues. docs/cli.md describes the stable
 * JSON format.
 */
export interface RecordedLineOrigin {
  event: string;
  at: string;
  agent: string | null;
  user: string | null;
  session: string;
  turn: string | null;
  /** First 2,000 characters of the prompt of the turn. */
  asked: string | null;
  issues: string[];
  /** Cost of the whole session in US dollars. */
  cost: number | null;
  costSource: string;
}

/**
 * A line of a file, with the recorded events that wrote and committed the line. docs/cli.md describes the stable JSON
 * format.
 */
export interface LineBlame {
  path: string;
  line: number;
  text: string;
  commit: string | null;
  message: string | null;
  author: string | null;
  /**
   * Evidence by which the session was found: the commit's `id`, the same `patch` in another commit, or the added
   * `lines`. Null if no session was found.
   */
  by: "id" | "patch" | "lines" | null;
  /** Reason why the writer could not be looked up. Null if the lookup succeeded. */
  unknown: string | null;
  written: RecordedLineOrigin | null;
  committed: RecordedLineOrigin | null;
}

type Known = RecordedCommit & { by: "id" | "patch" };

/** Returns lines of a file with the recorded writer and committer of each line. `path` is relative to `folder`. */
export async function blameLines(
  { ask }: CommandContext,
  folder: string,
  path: string,
  range: string,
): Promise<LineBlame[]> {
  const folders = await listWorkingTrees(folder);
  const top = folders[0] ?? folder;
  const lines = await readBlamedLines(folder, path, range);
  const ids = [...new Set(lines.flatMap(({ commit }) => commit ?? []))];
  const commits = new Map((await readCommits(top, ids)).map((commit) => [commit.id, commit]));
  const known = await knownOf(ask, top, [...commits.values()]);
  const places = createChangeLocator(ask, folders);
  const originOf = origins(ask, places.writerOf);
  const groups = groupBy(lines, (line) => `${line.commit} ${line.path}`);
  const blamed: LineBlame[] = [];
  for (const group of groups.values()) {
    const [{ commit: id = "", path: then } = { path }] = group;
    const commit = commits.get(id);
    const recorded = known.get(id);
    const until = recorded?.at ?? (commit ? commit.committed * 1000 + 999 : Date.now());
    const source = { ask, top, placeOf: places.placeOf };
    const evidence = await evidenceOf(source, commit, then, group, until).catch(unknown);
    const committed = recorded ? await originOf(recorded.event, recorded.session) : null;
    for (const line of group) {
      const writer = evidence instanceof UnknownWriterError ? undefined : evidence && findWriter(evidence, line.at);
      blamed.push({
        path,
        line: line.line,
        text: line.text,
        commit: commit?.id ?? null,
        message: commit?.subject ?? null,
        author: commit?.author ?? null,
        by: recorded?.by ?? (writer ? "lines" : null),
        unknown: evidence instanceof UnknownWriterError ? evidence.message : null,
        written: writer ? await originOf(writer.event, writer.session) : null,
        committed,
      });
    }
  }
  return blamed.sort((one, other) => one.line - other.line);
}

/**
 * Returns the recording of each given commit that is recorded, by commit id. A commit counts as recorded if the
 * recording contains its id, or the id of another commit with the same patch.
 */
async function knownOf(
  ask: CommandContext["ask"],
  top: string,
  commits: readonly GitCommit[],
): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  for (const [id, recorded] of await findRecordedCommits(ask, commits)) known.set(id, { ...recorded, by: "id" });
  const rest = commits.filter(({ id }) => !known.has(id));
  const forms = await findRewrittenCommits(top, rest);
  const recorded = await findRecordedCommits(ask, [...forms.values()].flat());
  for (const commit of rest) {
    const others = (forms.get(commit.id) ?? []).filter(({ id }) => recorded.has(id));
    if (others.length === 0) continue;
    const patches = await readPatchIds(top, [commit.id, ...others.map(({ id }) => id)]);
    const patch = patches.get(commit.id);
    const same = patch === undefined ? undefined : others.find(({ id }) => patches.get(id) === patch);
    const found = same && recorded.get(same.id);
    // If the recorded commit is an ancestor of this commit, this commit applied the same patch a second time (for
    // example after a revert). In that case, the two commits are different and the recording does not apply.
    if (found && !(await isAncestor(top, same.id, commit.id))) known.set(commit.id, { ...found, by: "patch" });
  }
  return known;
}

type Source = { ask: CommandContext["ask"]; top: string; placeOf: ReturnType<typeof createChangeLocator>["placeOf"] };

/** Returns an Unknown error as a value, so that the result can contain the reason. Throws any other error. */
function unknown(error: unknown): UnknownWriterError {
  if (error instanceof UnknownWriterError) return error;
  throw error;
}

/**
 * Collects the evidence, from the recording and from git, that shows who wrote the lines of a commit. Returns undefined
 * if no line is specific enough to identify a writer.
 * @throws UnknownWriterError if the comparison would be too expensive
 */
async function evidenceOf(
  { ask, top, placeOf }: Source,
  commit: GitCommit | undefined,
  path: string,
  group: readonly BlamedLine[],
  until: number,
): Promise<WriterEvidence | undefined> {
  const blocks = await readAddedBlocks(top, commit, path);
  const near = blocks.flatMap(({ from, lines }) =>
    lines.filter((_line, at) => group.some((each) => Math.abs(each.at - from - at) <= MAX_NEIGHBOR_DISTANCE)),
  );
  const telling = near.filter(isSpecificLine);
  if (telling.length === 0) return undefined;
  const all = await findRecordedChanges(ask, path, telling);
  const earlier = await readEarlierLines(top, commit, path);
  const placed = await Promise.all(all.map(async (change) => ({ ...change, place: await placeOf(change, path) })));
  const changes = placed
    .filter(({ at, place }) => at <= until && place !== "elsewhere")
    .map(({ place, ...change }) => ({ ...change, isDoubtful: place === "doubtful" }));
  return { blocks, changes, earlier };
}

/** Returns a function that looks up the turn, session and issues of an event. The function requests each event once. */
function origins(ask: CommandContext["ask"], writerOf: ReturnType<typeof createChangeLocator>["writerOf"]) {
  type Data = { recordedEvent: { timestamp: string; turn: { id: string; args: string } | null } };
  const known = new Map<string, Promise<RecordedLineOrigin>>();
  const find = async (event: string, session: string): Promise<RecordedLineOrigin> => {
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
  return (event: string, session: string): Promise<RecordedLineOrigin> => {
    const found = known.get(event) ?? find(event, session);
    known.set(event, found);
    return found;
  };
}
