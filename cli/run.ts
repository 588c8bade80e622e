import { CommanderError } from "commander";
import { isCommand } from "./commands.ts";
import { cured, EXIT, type ExitCode, Failure, isJson, lineOf } from "./failure.ts";
import { commandHint } from "./hints.ts";
import { tell } from "./output/print.ts";
import { createProgram } from "./program.ts";

/** Runs a command line. Answers the exit code; errors go to stderr. A fault of ours keeps its stack. */
export async function run(args: readonly string[]): Promise<ExitCode | undefined> {
  try {
    const [name = ""] = args;
    const hint = isCommand(name) ? undefined : commandHint(name);
    if (hint) throw new Failure(`There is no command "${name}".`, { exit: EXIT.usage, cure: hint });
    const program = await createProgram({ only: isCommand(name) ? name : undefined, json: isJson(args) });
    await program.parseAsync(args, { from: "user" });
    return undefined;
  } catch (error) {
    // The library has reported its own.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    if (!(error instanceof Failure)) throw error;
    tell(lineOf(cured(error, args[0]), isJson(args)).trimEnd());
    return error.exit;
  }
}
