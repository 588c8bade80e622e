import { CommanderError } from "commander";
import { EXIT, type ExitCode, Failure, lineOf } from "./failure.ts";
import { endWithReader } from "./output/stdout.ts";
import { createProgram } from "./program.ts";

endWithReader();
try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = tell(error);
}

/** Says on stderr what went wrong, and answers the exit code. A fault of ours keeps its stack. */
function tell(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  if (!(error instanceof Failure)) throw error;
  const { message, exit, cure = usualCure(exit) } = error;
  process.stderr.write(lineOf(new Failure(message, { exit, cure })));
  return exit;
}

/** What helps where nothing better is known. */
function usualCure(exit: ExitCode): string {
  if (exit === EXIT.usage) return `trackway ${process.argv[2]} --help`;
  if (exit === EXIT.notFound) return "trackway search WORDS";
  if (exit === EXIT.conflict) return "trackway show ISSUE, for who holds it and what blocks it";
  return exit === EXIT.noAccess ? "trackway login" : "again, or trackway doctor";
}
