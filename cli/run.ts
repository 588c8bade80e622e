import { CommanderError } from "commander";
import { isSystemError, toErrorLine } from "../system/places.ts";
import { isCommand } from "./commands.ts";
import { normalizeEnvironment } from "./environment.ts";
import { addDefaultFix, EXIT, type ExitCode, Failure, formatFailure, isJsonRequested } from "./failure.ts";
import { findCommandHint } from "./hints.ts";
import { printToStderr } from "./output/print.ts";
import { createProgram } from "./program.ts";

/**
 * Runs a command line and returns the exit code. Errors go to stderr. Unexpected errors are thrown and keep their
 * stack.
 */
export async function runCommandLine(args: readonly string[]): Promise<ExitCode | undefined> {
  try {
    normalizeEnvironment(process.env);
    const [name = ""] = args;
    const hint = isCommand(name) ? undefined : findCommandHint(name);
    if (hint) throw new Failure(`Unknown command "${name}".`, { exit: EXIT.usage, cure: hint });
    const program = await createProgram({ only: isCommand(name) ? name : undefined, json: isJsonRequested(args) });
    await program.parseAsync(args, { from: "user" });
    return undefined;
  } catch (error) {
    // The parser library has already printed its error.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const failure = isSystemError(error) ? new Failure(toErrorLine(error)) : error;
    if (!(failure instanceof Failure)) throw error;
    printToStderr(formatFailure(addDefaultFix(failure, args[0]), isJsonRequested(args)).trimEnd());
    return failure.exit;
  }
}
