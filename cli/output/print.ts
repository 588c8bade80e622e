/**
 * Characters a terminal may take for more than text: controls but tab and newline, those that turn or hide text, line
 * separators. Strangers write titles and comments. Both joiners are parts of scripts and emoji.
 */
const UNSAFE = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;

/** A text of several lines, with everything but tab and newline that a terminal would obey written out: `\x1b`. */
export const plain = (text: string): string => text.replaceAll("\r\n", "\n").replaceAll(UNSAFE, written);

/** A text on one line, of at most so many characters. */
export function oneLine(text: string, most = Number.POSITIVE_INFINITY): string {
  const flat = plain(text).replaceAll(/\s+/g, " ").trim();
  return flat.length > most ? `${[...flat.slice(0, most)].slice(0, -1).join("")}…` : flat;
}

/** JSON on one line, in which such characters are escaped too; a reader gets back what was there. */
export const safeJson = (value: unknown): string => JSON.stringify(value).replaceAll(UNSAFE, escaped);

function written(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}

const escaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");

/** A text quoted as one argument of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Writes lines for a reader. Nothing else in this program writes to standard output, so that nothing unsafe gets there. */
export function print(...lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${plain(line)}\n`);
}

/** Writes a line on standard error, beside what is answered. */
export function tell(line: string): void {
  process.stderr.write(`${plain(line)}\n`);
}

/** Writes one line of JSON. */
export function printJson(value: unknown): void {
  process.stdout.write(`${safeJson(value)}\n`);
}

/** Writes the one or the other, as --json asks. */
export function answer(json: boolean | undefined, value: unknown, lines: () => readonly string[]): void {
  if (json) printJson(value);
  else print(...lines());
}
