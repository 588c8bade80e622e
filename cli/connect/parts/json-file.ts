import {
  addJsonParts,
  createMalformedFailure,
  hasJsonParts,
  type JsonDialect,
  type JsonPart,
  parseJsonConfig,
  removeJsonParts,
} from "../../files/json.ts";
import type { AgentConfigFile } from "../agent.ts";

/**
 * Creates the description of a JSON file of an agent and of the settings that Trackway adds to the file. `partsFor`
 * returns these settings, which may depend on the other content of the file.
 */
export const defineJsonConfigFile = (
  path: string,
  dialect: JsonDialect,
  partsFor: (there: Record<string, unknown>) => JsonPart[],
): AgentConfigFile => {
  const partsIn = (text: string) => partsFor(parseJsonConfig(text, path, dialect));
  return {
    path,
    add(bare) {
      const parts = partsIn(bare);
      try {
        return addJsonParts(bare, parts);
      } catch (error) {
        // The content does not have the expected structure. For example, the file contains a list where Trackway must
        // add a property to an object.
        throw createMalformedFailure(path, `${(error as Error).message}`);
      }
    },
    has: (text, bare) => hasJsonParts(text, partsIn(bare)),
    remove: (text, before) => {
      const parts = partsIn(before ?? text);
      return parseJsonConfig(text, path, dialect) && text.trim() !== "" ? removeJsonParts(text, parts, before) : text;
    },
  };
};

/** For programs that accept no comments in JSON. */
export const STRICT_JSON: JsonDialect = { comments: false };
/** For programs that accept comments in JSON. */
export const JSON_WITH_COMMENTS: JsonDialect = { comments: true };
