/** Effect of a call of a tool. `none` stands for a tool that changes no file and has no other action. */
export type ToolMeaning = "edit" | "write" | "delete" | "patch" | "run" | "plan" | "planItem" | "none";

/** Meanings of tools, by name in lower case. */
export type Tools = Readonly<Record<string, ToolMeaning>>;

/** Declares tools that change no file, from their names with spaces between. */
export const withoutAction = (names: string): Tools =>
  Object.fromEntries(names.split(/\s+/).map((name) => [name, "none"]));

/** Parts of the record from which an exit code is read. */
export interface FinishedCommand {
  result: string;
  success: boolean;
  /** Duration in ms; null if unknown. */
  latency: number | null;
  command: string;
  metadata: Readonly<Record<string, unknown>>;
  input: Readonly<Record<string, unknown>>;
}

/** Reads the exit code of a finished command; undefined if the record does not contain the exit code. */
export type ExitCodeReader = (command: FinishedCommand) => number | undefined;

export const parseOptionalNumber = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);

/**
 * Phrases that an agent or a program writes around a failure's message. Support for a new program is an entry here,
 * without other code.
 */
export interface Wording {
  /** Text before a message, in the same line. */
  leads?: readonly RegExp[];
  /** Lines that do not contain the cause. Each pattern must match the complete line, without surrounding spaces. */
  silent?: readonly RegExp[];
  /** Lines that contain the cause, at any position. */
  telling?: readonly RegExp[];
  /** Marks around a text, at any position in a message. */
  tags?: readonly RegExp[];
  /** Lines after which an indented line shows source code. */
  places?: readonly RegExp[];
}
