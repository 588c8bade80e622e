let listener: ((text: string) => void) | undefined;

/** Says on stderr, and to the client where there is one to tell, what went wrong beside any answer. */
export function logWarning(text: string): void {
  process.stderr.write(`trackway-mcp: ${text}\n`);
  listener?.(text);
}

/** Whom to tell besides; over stdio the client, as a log message. */
export function onWarning(tell: (text: string) => void): void {
  listener = tell;
}
