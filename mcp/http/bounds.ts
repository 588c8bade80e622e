import { excessOf } from "../../server/body/json-extent.ts";

/** More than a turn of 500 tool calls needs; parsing a text within these bounds takes a few milliseconds. */
const MAX_VALUES = 65_536;
const MAX_LEVELS = 64;
const EXTENT = { levels: MAX_LEVELS, values: MAX_VALUES };

const SENTENCES = {
  levels: `The body nests deeper than ${MAX_LEVELS} levels; flatten it.`,
  values: `The body holds more than ${MAX_VALUES} values; send it in several calls.`,
};

/** The bound that JSON text exceeds, as a sentence. */
export function boundExceeded(json: Buffer): string | undefined {
  const excess = excessOf(json, EXTENT);
  return excess && SENTENCES[excess.bound];
}
