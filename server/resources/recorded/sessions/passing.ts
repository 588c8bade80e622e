import type { Build } from "../../../read/entity.ts";
import { filterSql } from "../../../read/filter/filter.ts";
import { checkFilter } from "../../../read/filter/limits.ts";
import { column, entityOf, inTenant, newRow, shapeOf } from "../../../read/row.ts";
import type { Selection } from "../../../read/selection.ts";

/** SQL of the condition that the session of an id passes the field's filter; empty without one. */
export function passingSql(build: Build, selection: Selection, id: string): string {
  const { filter } = shapeOf(build, selection);
  if (!filter) return "";
  checkFilter(filter);
  const session = newRow(build, entityOf(build, "RecordedSession"));
  const inside = filterSql(session, { argumentIndex: selection.argumentIndex, path: ["filter"], value: filter });
  return `and exists (select from recorded_session ${session.alias}${session.frame.joins.join("")}
    where ${inTenant(session)} and ${column(session, "id")} = ${id} and ${inside})`;
}
