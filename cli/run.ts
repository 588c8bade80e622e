import { CommanderError } from "commander";
import { EXIT, type ExitCode, Failure, lineOf } from "./failure.ts";
import { tell } from "./output/print.ts";
import { createProgram } from "./program.ts";

/** Runs a command line. Answers the exit code; errors go to stderr. A fault of ours keeps its stack. */
export async function run(args: readonly string[]): Promise<ExitCode | undefined> {
  try {
    await createProgram().parseAsync(args, { from: "user" });
    return undefined;
  } catch (error) {
    // The library has reported its own.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof Failure)) throw error;
    const { message, exit, cure = usualCure(exit, args[0] ?? "") } = error;
    tell(lineOf(new Failure(message, { exit, cure })).trimEnd());
    return exit;
  }
}

/** The usual help, where nothing better is known. */
function usualCure(exit: ExitCode, command: string): string {
  if (exit === EXIT.usage) return `trackway ${command} --help`;
  if (exit === EXIT.notFound) return "trackway search WORDS";
  if (exit === EXIT.conflict) return "trackway show ISSUE, for who holds it and what blocks it";
  return exit === EXIT.noAccess ? "trackway login" : "again, or trackway doctor";
}
