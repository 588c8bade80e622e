/** Results that standard output has not accepted yet. */
const pending: string[] = [];

/** Writes a part of the result to standard output. */
export function writeResult(text: string): void {
  pending.push(text);
  process.stdout.write(text, (error) => {
    if (!error) pending.shift();
  });
}

/**
 * Keeps a program running while its standard streams are full or closed. Text that standard error does not accept is lost.
 * `lose` receives, once, the text that standard output does not accept, and the error.
 */
export function guardStreams(lose: (error: NodeJS.ErrnoException, result: string) => void): void {
  process.stderr.on("error", () => {});
  let isLost = false;
  process.stdout.on("error", (error) => {
    if (isLost) return;
    isLost = true;
    lose(error, pending.splice(0).join(""));
  });
}

/**
 * Ends a command that cannot write its result. Writes the result to standard error, because the result is shown only once.
 * The exit code is not 0.
 */
export function endWithoutOutput(program: string, { code }: NodeJS.ErrnoException, result: string): never {
  const where = result ? "; the result is above" : "";
  process.stderr.write(`${result}${program}: standard output cannot be written (${code})${where}.\n`);
  process.exit(process.exitCode || 1);
}
