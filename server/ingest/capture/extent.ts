import { type Extent, excessOf } from "../../../formats/json-extent.ts";
import { AppError } from "../../errors.ts";
import { MAX_LEVELS, MAX_VALUES } from "../rules/bounds.ts";

/** The most that a body of events or a session may hold. */
export const EXTENT: Extent = { levels: MAX_LEVELS, values: MAX_VALUES };

/** Refuses JSON text that would take long to parse and to walk. @throws AppError too_deep or too_many_values */
export function checkExtent(json: Buffer, extent: Extent): void {
  const excess = excessOf(json, extent);
  if (excess?.bound === "levels") throw tooDeep(extent);
  if (excess) throw tooMany(extent, fieldAt(json, excess.member));
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
