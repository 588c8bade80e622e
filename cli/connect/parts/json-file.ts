import {
  addParts,
  createMalformedFailure,
  hasParts,
  type JsonDialect,
  type JsonPart,
  readJson,
  removeParts,
} from "../../files/json.ts";
import type { AgentFile } from "../agent.ts";

/** Describes a JSON file of an agent and Trackway's parts of the file. The parts may depend on the other content. */
export const createJsonFile = (
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
        // For example, the file contains a list where the program expects an object.
        throw createMalformedFailure(path, `${(error as Error).message}`);
      }
    },
    has: (text, bare) => hasParts(text, partsIn(bare)),
    remove: (text, before) => {
      const parts = partsIn(before ?? text);
      return readJson(text, path, dialect) && text.trim() !== "" ? removeParts(text, parts, before) : text;
    },
  };
};

/** For programs that accept no comments in JSON. */
export const STRICT_JSON: JsonDialect = { comments: false };
/** For programs that accept comments in JSON. */
export const JSON_WITH_COMMENTS: JsonDialect = { comments: true };
