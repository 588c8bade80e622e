import { text } from "node:stream/consumers";
import { EXIT, Failure } from "./failure.ts";

/** The text on standard input, without the last line's end. */
export async function readStdin(cure: string): Promise<string> {
  const given = (await text(process.stdin)).replace(/\r?\n$/, "");
  if (given) return given;
  throw new Failure("Standard input is empty.", { exit: EXIT.usage, cure });
}

/** A text as it is given, or standard input where `-` stands in its place. */
export const textOrStdin = async (given: string): Promise<string> =>
  given === "-" ? await readStdin("echo TEXT | trackway ...") : given;
