import { type Config, readConfig } from "../config.ts";
import { inputError } from "../errors.ts";

/**
 * Runs a command of the operator's; a failure is one line on stderr and exit code 1. `--help` needs neither database nor
 * settings.
 */
export async function cli(
  usageOf: (name: string | undefined) => string,
  work: (config: Config, args: string[]) => Promise<string>,
): Promise<void> {
  const args = process.argv.slice(2);
  const help = args.some((each) => each === "--help" || each === "-h");
  try {
    process.stdout.write(`${help ? usageOf(args[0]) : await work(readConfig(process.env), args)}\n`);
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
