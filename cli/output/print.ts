import { plain, safeJson } from "./safe.ts";

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
