import { CommanderError } from "commander";
import { isSystemError, toErrorLine } from "../system/places.ts";
import { isCommand } from "./commands.ts";
import { normalizeEnvironment } from "./environment.ts";
import { addDefaultFix, CommandFailure, EXIT_CODES, type ExitCode, formatFailure, isJsonRequested } from "./failure.ts";
import { findEquivalentCommand } from "./hints.ts";
import { printToStderr } from "./output/print.ts";
import { createCommandLineParser } from "./program.ts";

/**
 * Runs a command line and returns the exit code. Expected errors are printed to standard error. The function
 * throws unexpected errors, so that the caller can print the stack trace.
 */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode | undefined> {
  try {
    normalizeEnvironment(process.env);
    const [name = ""] = args;
    const hint = isCommand(name) ? undefined : findEquivalentCommand(name);
    if (hint) throw new CommandFailure(`Unknown command "${name}".`, { exit: EXIT_CODES.usage, cure: hint });
    const program = await createCommandLineParser({
      only: isCommand(name) ? name : undefined,
      json: isJsonRequested(args),
    });
    await program.parseAsync(args, { from: "user" });
    return undefined;
  } catch (error) {
    // The parser library has already printed its error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT_CODES.ok : EXIT_CODES.usage;
    const failure = isSystemError(error) ? new CommandFailure(toErrorLine(error)) : error;
    if (!(failure instanceof CommandFailure)) throw error;
    printToStderr(formatFailure(addDefaultFix(failure, args[0]), isJsonRequested(args)).trimEnd());
    return failure.exit;
  }
}
