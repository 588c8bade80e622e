import { isObject } from "../../../../formats/json.ts";
import { getOwnProperty } from "../../../../formats/own.ts";
import type { ActionEvent } from "./action.ts";

export type ToolCallInput = Readonly<Record<string, unknown>>;

export interface ParsedToolCall {
  event: ActionEvent;
  input: ToolCallInput;
  metadata: ToolCallInput;
}

/** Maximum characters of a stored path. */
export const MAX_PATH_CHARS = 1_000;

/**
 * Parses a tool call. An input that is not JSON is the command or the patch itself. An input that begins like JSON but
 * is no complete object counts as truncated JSON.
 */
export function parseCall(event: ActionEvent): ParsedToolCall {
  const { args } = event;
  const input = parseJsonObject(args) ?? (/^\s*[{[]/.test(args) ? { cut: args } : { text: args });
  return { event, input, metadata: parseJsonObject(event.metadata ?? "") ?? {} };
}

export const parseJsonObject = (json: string): ToolCallInput | undefined => {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

export function readInputText(input: ToolCallInput, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = getOwnProperty(input, name);
    if (typeof value === "string") return value;
  }
  return undefined;
}

/** Returns the file path that the input of a call names. Also finds the path in truncated JSON. */
export const readInputPath = (input: ToolCallInput): string | undefined =>
  (
    readInputText(input, ["file_path", "filePath", "path", "notebook_path", "target_file"]) ?? pathIn(input["cut"])
  )?.slice(0, MAX_PATH_CHARS) || undefined;

function pathIn(cut: unknown): string | undefined {
  const [, quoted] = /"(?:file_path|filePath|notebook_path)"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(String(cut ?? "")) ?? [];
  return quoted === undefined ? undefined : (JSON.parse(quoted) as string);
}
