import { readIfThere } from "../files/whole-file.ts";
import type { Agent, AgentFile, Connection } from "./agent.ts";

/** What is to become of one file. `before` is undefined where there is none. */
export interface Change {
  path: string;
  before: string | undefined;
  after: string;
  /** The text without anything of ours, which is what a backup holds. */
  bare: string | undefined;
}

/**
 * What connecting would write, ours first, since the agent's files point to it. Nothing is written yet, so that a file
 * that cannot be read stops all of it.
 */
export async function planChanges(agent: Agent, connection: Connection): Promise<{ own: Change[]; files: Change[] }> {
  const own = agent.own(connection).map(async ({ path, text }) => ({
    path,
    before: await readIfThere(path),
    after: text,
    bare: undefined,
  }));
  const files = agent.files(connection).map(planFile);
  const planned = { own: await Promise.all(own), files: await Promise.all(files) };
  return { own: planned.own, files: planned.files.filter(({ before, after }) => before !== undefined || after !== "") };
}

async function planFile(file: AgentFile): Promise<Change> {
  const before = await readIfThere(file.path);
  const text = before ?? "";
  return { path: file.path, before, after: file.add(text), bare: before === undefined ? undefined : file.remove(text) };
}

/** Whether it is all there already. */
export const isDone = (changes: readonly Change[]): boolean => changes.every(({ before, after }) => before === after);

/** The agent's files as they were, by path. */
export const textsOf = (changes: readonly Change[]): Map<string, string> =>
  new Map(changes.map(({ path, before }) => [path, before ?? ""]));
