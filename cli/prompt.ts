import { confirm, isCancel, password, text } from "@clack/prompts";
import { EXIT, Failure } from "./failure.ts";

/** True if somebody is there to answer. */
export const canAsk = (): boolean => Boolean(process.stdin.isTTY && process.stderr.isTTY);

const output = process.stderr;

/** Asks for a line; `otherwise` says how to give it without being asked. */
export async function askLine(message: string, otherwise: string, initialValue = ""): Promise<string> {
  return answered(await demand(otherwise, () => text({ message, initialValue, output })));
}

/** Asks for a secret, which is not shown. */
export async function askSecret(message: string, otherwise: string): Promise<string> {
  return answered(await demand(otherwise, () => password({ message, output })));
}

/** Asks whether to go on. */
export async function askYes(message: string, otherwise: string): Promise<boolean> {
  return answered(await demand(otherwise, () => confirm({ message, output })));
}

function demand<T>(otherwise: string, question: () => Promise<T>): Promise<T> {
  if (canAsk()) return question();
  throw new Failure("This asks, and nobody is there to answer.", { exit: EXIT.usage, cure: otherwise });
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (isCancel(answer)) throw new Failure("Stopped; nothing was changed.");
  return answer as Exclude<T, symbol>;
}
