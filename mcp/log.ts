let listener: ((text: string) => void) | undefined;

/** Writes on stderr, and tells the listener, what went wrong beside any answer. */
export function logWarning(text: string): void {
  process.stderr.write(`trackway-mcp: ${text}\n`);
  listener?.(text);
}

/** Sets the listener of warnings; over stdio it sends them to the client as log messages. */
export function onWarning(listen: (text: string) => void): void {
  listener = listen;
}
