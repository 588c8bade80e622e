import { AppError } from "../../errors.ts";
import { MAX_LEVELS, MAX_VALUES } from "../rules/bounds.ts";

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;
const SPACE = 32;
const OPEN = 123; // { and, with bit 5 set, [
const CLOSE = 125;

/** How much JSON text may hold. */
export interface Extent {
  levels: number;
  values: number;
}

/** What a body of events or a session may hold. */
export const EXTENT: Extent = { levels: MAX_LEVELS, values: MAX_VALUES };

/**
 * Refuses JSON text that would take long to parse and to walk, by a look at every byte and without recursion. A name and
 * what it stands for are one value. Text that is no JSON may pass: the parser stops where it begins to be wrong.
 * @throws AppError too_deep or too_many_values
 */
export function checkExtent(json: Buffer, extent: Extent): void {
  const { levels: maxLevels, values: maxValues } = extent;
  let depth = 0;
  let values = 1;
  let member = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = endOfString(json, at);
    else if ((byte | 32) === OPEN) {
      depth += 1;
      if (depth > maxLevels) throw tooDeep(extent);
      if (depth === 1) member = at;
      if ((afterSpaces(json, at + 1) | 32) !== CLOSE) values += 1;
    } else if ((byte | 32) === CLOSE) depth -= 1;
    else if (byte === COMMA) {
      values += 1;
      if (depth === 1) member = at;
    }
    if (values > maxValues) throw tooMany(extent, fieldAt(json, member + 1));
  }
}

function endOfString(json: Buffer, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The next byte that is no space. */
function afterSpaces(json: Buffer, from: number): number {
  let at = from;
  while ((json[at] ?? CLOSE) <= SPACE) at += 1;
  return json[at] ?? CLOSE;
}

/** More than any name of a field has. */
const NAME_BYTES = 34;
const NAME = /^\s*"([a-z_]+)"/;

/** The name of the member that begins here. Only what looks like one of ours is repeated to the caller. */
const fieldAt = (json: Buffer, start: number): string | undefined =>
  NAME.exec(json.toString("latin1", start, start + NAME_BYTES))?.[1];

/** The refusal of a body that nests too deep. */
export const tooDeep = ({ levels }: Extent) =>
  new AppError("input", `The body must be nested at most ${levels} levels deep`, { tag: "too_deep" });

const tooMany = ({ values }: Extent, field: string | undefined) =>
  new AppError("input", `The body must hold at most ${values} values; send less at once, or objects as JSON text`, {
    tag: "too_many_values",
    limit: values,
    ...(field && { field }),
  });
