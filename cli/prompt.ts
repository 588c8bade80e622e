import { text } from "node:stream/consumers";
import { CommandFailure, EXIT_CODES } from "./failure.ts";

/** Returns true if the command runs in a terminal, so that a user can answer. */
export const isInteractive = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY);

type Prompts = typeof import("@clack/prompts");

const output = process.stderr;

/**
 * Asks the user for a line of text. `otherwise` is the fix for a command without a terminal: how to give the value in
 * another way.
 */
export const askLine = (message: string, otherwise: string, initialValue = ""): Promise<string> =>
  ask(otherwise, ({ text }) => text({ message, initialValue, output }));

/** Asks for a secret, and does not show the input. */
export const askSecret = (message: string, otherwise: string): Promise<string> =>
  ask(otherwise, ({ password }) => password({ message, output }));

export const askConfirmation = (message: string, otherwise: string): Promise<boolean> =>
  ask(otherwise, ({ confirm }) => confirm({ message, output }));

async function ask<T>(otherwise: string, question: (prompts: Prompts) => Promise<T>): Promise<Exclude<T, symbol>> {
  if (!isInteractive())
    throw new CommandFailure("This command asks a question, but there is no terminal for the answer.", {
      exit: EXIT_CODES.usage,
      cure: otherwise,
    });
  const prompts = await import("@clack/prompts");
  const answer = await question(prompts);
  if (prompts.isCancel(answer)) throw new CommandFailure("Stopped. No changes were made.");
  return answer as Exclude<T, symbol>;
}

/** Reads standard input, without the last line end. */
export async function readStdin(cure: string): Promise<string> {
  const given = (await text(process.stdin)).replace(/\r?\n$/, "");
  if (given) return given;
  throw new CommandFailure("Standard input is empty.", { exit: EXIT_CODES.usage, cure });
}

/** Returns the text, or standard input if the text is `-`. */
export const readTextArgument = async (given: string): Promise<string> =>
  given === "-" ? await readStdin("echo TEXT | trackway ...") : given;
