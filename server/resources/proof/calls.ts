import { posix } from "node:path";
import type { ActionEvent } from "../recorded/actions/action.ts";
import { effectOf } from "../recorded/actions/read.ts";
import type { Act } from "./acts.ts";

/** A recorded call of a tool, with as much of its texts as is read. `at` is in ms since the epoch. */
export interface Call extends ActionEvent {
  id: string;
  session: string;
  message: string | null;
  at: number;
}

/** The acts that calls of one session are, in their order. A `cd` may hold for the calls after it: shells of agents go on. */
export function actsOf(calls: readonly Call[]): Act[] {
  let lost: string | undefined;
  return calls.flatMap((call): Act[] => {
    const { id, session, cwd, at, latency, open } = call;
    const base = { event: id, session, from: at, until: open || latency === null ? null : at + latency };
    const effect = effectOf(call);
    if (effect.is === "change") return effect.paths.map((change) => ({ ...base, folder: cwd, change }));
    const { line, exitCode, isBackground } = effect;
    const folder = effect.folder === undefined ? (lost ?? cwd) : absolute(cwd, effect.folder);
    if (leads(line, folder) === "elsewhere") lost = `/?/${id}`;
    return [{ ...base, folder, command: { line, exitCode, isBackground } }];
  });
}

const absolute = (cwd: string | null, path: string): string | null =>
  posix.isAbsolute(path) ? path : cwd === null ? null : posix.resolve(cwd, path);

/** Finds out if a line may leave its shell in another folder than it began in. */
function leads(line: string, folder: string | null): "elsewhere" | "nowhere" {
  const all = [...line.matchAll(/(?<![\w./-])(?:cd|pushd|popd|chdir|z)\b[ \t]*([^\s;&|)]*)/g)];
  const back = (to: string) => folder !== null && posix.isAbsolute(to) && posix.resolve(to) === posix.resolve(folder);
  return all.every(([, to = ""]) => back(to.replace(/^(["'])(.*)\1$/, "$2"))) ? "nowhere" : "elsewhere";
}
