import { isObject } from "../../../../formats/json.ts";
import { readOwn } from "../../../../formats/own.ts";
import type { ActionEvent } from "./action.ts";

export type Input = Readonly<Record<string, unknown>>;

/** A parsed tool call. */
export interface Call {
  event: ActionEvent;
  input: Input;
  metadata: Input;
}

/** Maximum characters of a stored path. */
export const MAX_PATH_CHARS = 1_000;

/**
 * Parses a tool call. An input that is no JSON object is the command or the patch itself, unless the input is
 * truncated JSON.
 */
export function parseCall(event: ActionEvent): Call {
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

export function readInputText(input: Input, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = readOwn(input, name);
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** Returns the path in a call, also from truncated input. */
export const readInputPath = (input: Input): string | undefined =>
  (
    readInputText(input, ["file_path", "filePath", "path", "notebook_path", "target_file"]) ?? pathIn(input["cut"])
  )?.slice(0, MAX_PATH_CHARS) || undefined;

function pathIn(cut: unknown): string | undefined {
  const [, quoted] = /"(?:file_path|filePath|notebook_path)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(String(cut ?? "")) ?? [];
  return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
}
