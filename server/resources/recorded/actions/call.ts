import { isObject } from "../../../../formats/json.ts";
import { readOwn } from "../../../../formats/own.ts";
import type { ActionEvent } from "./action.ts";

export type Input = Readonly<Record<string, unknown>>;

/** A tool's call, taken apart. */
export interface Call {
  event: ActionEvent;
  input: Input;
  metadata: Input;
}

/** Characters of a path that are kept. */
export const PATH = 1_000;

/** Takes a call of a tool apart. An input that is no object is the command or the patch itself, unless it is cut JSON. */
export function callOf(event: ActionEvent): Call {
  const { args } = event;
  const input = objectIn(args) ?? (/^\s*[{[]/.test(args) ? { cut: args } : { text: args });
  return { event, input, metadata: objectIn(event.metadata ?? "") ?? {} };
}

export const objectIn = (json: string): Input | undefined => {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

export function textOf(input: Input, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = readOwn(input, name);
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** The path that a call names, also where its input was cut behind it. */
export const pathOf = (input: Input): string | undefined =>
  (textOf(input, ["file_path", "filePath", "path", "notebook_path", "target_file"]) ?? pathIn(input["cut"]))?.slice(
    0,
    PATH,
  ) || undefined;

function pathIn(cut: unknown): string | undefined {
  const [, quoted] = /"(?:file_path|filePath|notebook_path)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(String(cut ?? "")) ?? [];
  return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
}
