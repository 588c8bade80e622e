import { text } from "node:stream/consumers";
import { EXIT, Failure } from "./failure.ts";

/** True if somebody is there to answer. */
export const canAsk = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY);

type Prompts = typeof import("@clack/prompts");

const output = process.stderr;

/** Asks for a line; `otherwise` says how to give it without being asked. */
export const askLine = (message: string, otherwise: string, initialValue = ""): Promise<string> =>
  ask(otherwise, ({ text }) => text({ message, initialValue, output }));

/** Asks for a secret, which is not shown. */
export const askSecret = (message: string, otherwise: string): Promise<string> =>
  ask(otherwise, ({ password }) => password({ message, output }));

/** Asks whether to go on. */
export const askYes = (message: string, otherwise: string): Promise<boolean> =>
  ask(otherwise, ({ confirm }) => confirm({ message, output }));

async function ask<T>(otherwise: string, question: (prompts: Prompts) => Promise<T>): Promise<Exclude<T, symbol>> {
  if (!canAsk()) throw new Failure("This asks, and nobody is there to answer.", { exit: EXIT.usage, cure: otherwise });
  const prompts = await import("@clack/prompts");
  const answer = await question(prompts);
  if (prompts.isCancel(answer)) throw new Failure("Stopped; nothing was changed.");
  return answer as Exclude<T, symbol>;
}

/** The text on standard input, without the last line's end. */
export async function readStdin(cure: string): Promise<string> {
  const given = (await text(process.stdin)).replace(/\r?\n$/, "");
  if (given) return given;
  throw new Failure("Standard input is empty.", { exit: EXIT.usage, cure });
}

/** A text as it is given, or standard input where `-` stands in its place. */
export const textOrStdin = async (given: string): Promise<string> =>
  given === "-" ? await readStdin("echo TEXT | trackway ...") : given;
