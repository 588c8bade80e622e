import { Failure } from "../../failure.ts";
import { modeOf, PRIVATE, readIfThere } from "../../files/whole-file.ts";
import type { Agent, AgentFile, Connection } from "../agent.ts";
import { type Before, digest, type FileRecord, readRecord } from "./record.ts";

/** The planned change of one file. `before` is undefined where there is none. */
export interface Change {
  path: string;
  before: string | undefined;
  after: string;
  /** The rights it is to have. */
  mode: number;
  /** The file without anything of ours. */
  bare: Before;
  known: FileRecord | undefined;
}

/** The changes that connecting would make. */
export interface Plan {
  own: Change[];
  files: Change[];
}

/**
 * The files connecting would write, ours first, since the agent's files point to them. Nothing is written yet, so that
 * a file that cannot be read or written stops all of it.
 */
export async function planChanges(agent: Agent, connection: Connection): Promise<Plan> {
  const record = await readRecord(connection.places, agent.name);
  const own = agent.own(connection).map(async ({ path, text }): Promise<Change> => {
    const before = await readIfThere(path);
    return { path, before, after: text, mode: PRIVATE, bare: null, known: undefined };
  });
  const files = agent.files(connection).map((file) => planFile(file, connection, record?.files[file.path]));
  const planned = { own: await Promise.all(own), files: await Promise.all(files) };
  return { own: planned.own, files: planned.files.filter(({ before, after }) => before !== undefined || after !== "") };
}

async function planFile(
  file: AgentFile,
  { ingestKey, apiKey }: Connection,
  known: FileRecord | undefined,
): Promise<Change> {
  const { path } = file;
  const [text, mode = PRIVATE] = [await readIfThere(path), await modeOf(path)];
  const bare = bareOf(file, { text, mode }, known);
  const there = bare?.text ?? "";
  const wanted = file.add(there);
  const after = text !== undefined && file.has(text, there) ? text : wanted;
  if (after !== text) refuseReadOnly(path, text === undefined ? undefined : mode);
  const holdsKey = [ingestKey, apiKey].some((key) => key !== "" && after.includes(key));
  return { path, before: text, after, mode: holdsKey ? PRIVATE : (bare?.mode ?? mode), bare, known };
}

/** A file without anything of ours. One that is as we left it was what is known; any other is what is left without ours. */
export function bareOf(
  { remove }: Pick<AgentFile, "remove">,
  { text, mode }: { text: string | undefined; mode: number },
  known: FileRecord | undefined,
): Before {
  if (text === undefined) return null;
  const rights = known && mode === known.mode ? (known.before?.mode ?? mode) : mode;
  if (known && digest(text) === known.written) return known.before && { text: known.before.text, mode: rights };
  const bare = remove(text, known && (known.before?.text ?? ""));
  return known?.before === null && /^\s*(\{\s*\})?\s*$/.test(bare) ? null : { text: bare, mode: rights };
}

/** @throws Failure for a file that its owner protects from being written */
export function refuseReadOnly(path: string, mode: number | undefined): void {
  if (mode === undefined || (mode & 0o200) !== 0) return;
  throw new Failure(`${path} is read-only; nothing was written.`, {
    cure: `chmod u+w '${path}', then the same command again`,
  });
}

/** True if it is all there already. */
export const isDone = (changes: readonly Change[]): boolean => changes.every(({ before, after }) => before === after);

/** The agent's files without ours, by path. */
export const textsOf = (changes: readonly Change[]): Map<string, string> =>
  new Map(changes.map(({ path, bare }) => [path, bare?.text ?? ""]));
