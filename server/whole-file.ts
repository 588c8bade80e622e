import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { writeWholeFile } from "../system/whole-file.ts";

/**
 * Writes a file (mode 0600) whose path the server chose. The file appears only when complete.
 * @throws CannotWrite, or the error of `fill`
 */
export const writeFileAtomically = <T>(path: string, fill: (target: NodeJS.WritableStream) => Promise<T>): Promise<T> =>
  writeWholeFile(path, fill, { namedBy: "program", mode: 0o600 });

/** Writes text to a file as `writeFileAtomically` does. */
export const writeTextFileAtomically = (path: string, text: string): Promise<void> =>
  writeFileAtomically(path, (target) => pipeline(Readable.from([text]), target));
