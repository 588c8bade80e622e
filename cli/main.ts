import { CommanderError } from "commander";
import { EXIT, Failure, lineOf } from "./failure.ts";
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
  process.stderr.write(lineOf(error));
  return error.exit;
}
