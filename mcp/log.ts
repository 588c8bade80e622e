let listener: ((text: string) => void) | undefined;

/** Writes a warning to stderr and passes the warning to the listener. */
export function logWarning(text: string): void {
  process.stderr.write(`trackway-mcp: ${text}\n`);
  listener?.(text);
}

/** Sets the listener of warnings. The stdio server sends warnings to the client as log messages. */
export function setWarningListener(listen: (text: string) => void): void {
  listener = listen;
}
