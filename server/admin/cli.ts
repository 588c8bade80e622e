import { type Config, readConfig } from "../config.ts";
import { inputError } from "../errors.ts";

/** Runs a command of the operator's; a failure is one line on stderr and exit code 1. */
export async function cli(work: (config: Config, args: string[]) => Promise<string>): Promise<void> {
  try {
    process.stdout.write(`${await work(readConfig(process.env), process.argv.slice(2))}\n`);
  } catch (error) {
    process.stderr.write(`trackway: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** The one file a command takes. @throws inputError with its usage. */
export function fileArgument([file, ...more]: string[], usage: string): string {
  if (!file || more.length > 0) throw inputError(usage);
  return file;
}
