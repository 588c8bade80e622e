import {
  addParts,
  hasParts,
  type JsonDialect,
  type JsonPart,
  malformed,
  readJson,
  removeParts,
} from "../../files/json.ts";
import type { AgentFile } from "../agent.ts";

/** A JSON file of an agent, and our parts of it, which may depend on what is there without them. */
export const jsonFile = (
  path: string,
  dialect: JsonDialect,
  partsFor: (there: Record<string, unknown>) => JsonPart[],
): AgentFile => {
  const partsIn = (text: string) => partsFor(readJson(text, path, dialect));
  return {
    path,
    add(bare) {
      const parts = partsIn(bare);
      try {
        return addParts(bare, parts);
      } catch (error) {
        // Such as a list where the program wants an object.
        throw malformed(path, `${(error as Error).message}`);
      }
    },
    has: (text, bare) => hasParts(text, partsIn(bare)),
    remove: (text, before) => {
      const parts = partsIn(before ?? text);
      return readJson(text, path, dialect) && text.trim() !== "" ? removeParts(text, parts, before) : text;
    },
  };
};

/** Strict JSON: the program reads no comments. */
export const STRICT: JsonDialect = { comments: false };
/** The program reads comments. */
export const LENIENT: JsonDialect = { comments: true };
