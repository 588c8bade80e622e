import { addParts, type JsonDialect, type JsonPart, readJson, removeParts } from "../files/json.ts";
import type { AgentFile } from "./agent.ts";

/** A JSON file of an agent, and our parts of it, which may depend on what is there. */
export const jsonFile = (
  path: string,
  dialect: JsonDialect,
  partsFor: (there: Record<string, unknown>) => JsonPart[],
): AgentFile => ({
  path,
  add: (text) => addParts(text, partsFor(readJson(text, path, dialect))),
  remove: (text) => (text.trim() === "" ? text : removeParts(text, partsFor(readJson(text, path, dialect)))),
});

/** Strict JSON: the program reads no comments. */
export const STRICT: JsonDialect = { comments: false };
/** The program reads comments. */
export const LENIENT: JsonDialect = { comments: true };
