import { writeResult } from "../../system/streams.ts";

/**
 * Characters that a terminal may interpret: control characters except tab and newline, characters that reverse or hide
 * text, and line separators. Titles and comments may contain such characters, because strangers can write titles and
 * comments. The zero-width joiner and non-joiner are allowed, because some writing systems and emoji need them.
 */
const UNSAFE = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** Replaces all unsafe characters of a text by their codes, such as `\x1b`. */
export const escapeUnsafe = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll(UNSAFE, written);

/** Converts a text to one line of at most `most` characters. */
export function toOneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  const flat = escapeUnsafe(text).replaceAll(/\s+/g, " ").trim();
  return flat.length > most ? `${[...flat.slice(0, most)].slice(0, -1).join("")}…` : flat;
}

/** Converts a value to one line of JSON in which unsafe characters are escaped. A parser returns the original value. */
export const toSafeJson = (value: unknown): string => JSON.stringify(value).replaceAll(UNSAFE, escaped);

function written(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");

/** Quotes a text as one argument of a POSIX shell. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * Prints lines. All text output of the program uses this function, so that unsafe characters never reach standard
 * output.
 */
export function printLines(...lines: readonly string[]): void {
  for (const line of lines) writeResult(`${escapeUnsafe(line)}\n`);
}

/** Prints a line to standard error, separate from the result. */
export function printToStderr(line: string): void {
  process.stderr.write(`${escapeUnsafe(line)}\n`);
}

/**
 * Waits for a step on this machine that follows a change on the server. If the step fails, prints a warning instead of
 * failing, because the change has already happened. Returns true if the step succeeded.
 */
export const warnOnFailure = (step: Promise<unknown>, consequence: string): Promise<boolean> =>
  step.then(
    () => true,
    (error: Error) => {
      printToStderr(toOneLine(`warning: ${error.message} ${consequence}`, 1_500));
      return false;
    },
  );

export function printJson(value: unknown): void {
  writeResult(`${toSafeJson(value)}\n`);
}

/** Prints the result as JSON if `json` is set, and otherwise as lines of text. */
export function printResult(json: boolean | undefined, value: unknown, lines: () => readonly string[]): void {
  if (json) printJson(value);
  else printLines(...lines());
}
