import { AppError, inputError } from "../../errors.ts";
import { filterSql } from "../../read/filter/filter.ts";
import { checkFilter } from "../../read/filter/limits.ts";
import { entityOf, newBuild, newRow } from "../../read/row.ts";
import { readShapes, shapeOfValue } from "../../read/shape.ts";
import type { Write } from "../../write/write.ts";

/** Most bytes of a filter that is stored, as JSON. */
export const FILTER_BYTES = 16 * 1024;

/**
 * Checks a filter of issues that is kept for later as one that is used now.
 * @throws inputError for one that no list of issues takes
 */
export function checkIssueFilter<Filter extends object>({ model, scope }: Write, filterData: Filter): Filter {
  if (Buffer.byteLength(JSON.stringify(filterData)) > FILTER_BYTES) {
    throw inputError(`filterData must be at most ${FILTER_BYTES / 1024} KiB`, "filterData");
  }
  const shapes = readShapes(`[${shapeOfValue({ filterData })}]`);
  const value = shapes[0] ? shapes[0]["filterData"] : undefined;
  const build = newBuild(model, shapes);
  try {
    checkFilter(value);
    filterSql(newRow(build, entityOf(build, "Issue")), { argumentIndex: 0, path: ["filterData"], value });
    for (const get of build.getters) get({ scope, args: [{ filterData }] });
  } catch (error) {
    // A row of an import has not been through the schema, and may be of any form.
    throw error instanceof AppError ? error : inputError("filterData is no filter of issues", "filterData");
  }
  return filterData;
}
