import { text } from "node:stream/consumers";
import { EXIT, Failure } from "./failure.ts";

/** A secret given on standard input, without the line's end. */
export async function readStdin(): Promise<string> {
  const given = (await text(process.stdin)).replace(/\r?\n$/, "");
  if (given) return given;
  throw new Failure("Standard input is empty.", { exit: EXIT.usage, cure: "trackway login --token-stdin < key.txt" });
}
