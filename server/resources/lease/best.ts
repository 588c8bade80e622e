import { filterSql } from "../../read/filter/filter.ts";
import { checkFilter } from "../../read/filter/limits.ts";
import { visible } from "../../read/link.ts";
import { preparedStatement } from "../../read/prepared-statement.ts";
import { column, entityOf, inTenant, newRow } from "../../read/row.ts";
import { readShapes, shapeOfValue } from "../../read/shape.ts";
import type { Write } from "../../write/write.ts";
import { READY_ORDER, readySql } from "../issue/readiness.ts";

/**
 * The id of the best ready issue that a filter matches. Raw SQL: a part of what the read planner writes, its best row alone.
 * @throws inputError for a filter that asks for too much
 */
export async function bestReady(write: Write, filter: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const shape = shapeOfValue({ filter });
  const [shapes] = readShapes(`[${shape}]`);
  const value = shapes ? shapes.filter : undefined;
  checkFilter(value);
  const inputs = { scope: write.scope, args: [{ filter }] };
  const statement = preparedStatement(write.model, `best ready ${shape}`, inputs, (build) => {
    const row = newRow(build, entityOf(build, "Issue"));
    const matches = filterSql(row, { argumentIndex: 0, path: ["filter"], value });
    const seen = visible(row);
    const order = READY_ORDER.map((step) => `${step.sql(row)}${"descending" in step ? " desc" : ""}`);
    return `select ${column(row, "id")} from issue ${row.alias}${row.frame.joins.join("")}
      where ${inTenant(row)} and ${readySql(row)} and ${seen} and ${matches}
      order by ${[...order, column(row, "id")].join(", ")} limit 1`;
  });
  const [best] = await write.trx.query<{ id: string }>(statement);
  return best?.id;
}
