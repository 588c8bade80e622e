import type { Build } from "../../read/entity.ts";
import { textSql } from "../../read/json.ts";
import { rowJson } from "../../read/plan.ts";
import { entityOf, newRow } from "../../read/row.ts";
import type { Selection } from "../../read/selection.ts";

/** A root field that answers one row of an entity without a table, which SQL computes of recorded events. */
export const computedRow = (entity: string, compute: (build: Build, selection: Selection) => string) => ({
  sql(build: Build, selection: Selection): string {
    build.reads.add("recorded_session").add("recorded_event");
    const row = newRow(build, entityOf(build, entity));
    const json = textSql(rowJson(row, selection.children));
    return `(select ${json} from (${compute(build, selection)}) ${row.alias})`;
  },
});
