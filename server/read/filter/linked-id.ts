import type { SqlRow, ToOne } from "../entity.ts";
import { column, entityOf } from "../row.ts";
import type { ArgumentPath } from "../selection.ts";
import { isUuidShape } from "../shape.ts";
import { comparison } from "./compare.ts";

/**
 * SQL of a filter that asks of a link only that it leads to the row of one id: the column that holds the id says so. Then an
 * index that begins with the column keeps its order, which no look into the other table would. Undefined for any other.
 */
export function linkedId(row: SqlRow, link: ToOne, argument: ArgumentPath): string | undefined {
  const id = only("id", argument.value);
  const eq = id && only("eq", id);
  if (!link.by || !isUuidShape(eq) || entityOf(row.build, link.entity).columns.id !== "uuid") return undefined;
  const sql = column(row, link.by);
  // As a name is bound, since it may be an id or a name in the next request.
  const named = { ids: (list: string) => `${sql} = (${list})[1]`, text: () => "false" };
  return comparison(
    row.build,
    { sql, type: "uuid" },
    { ...argument, path: [...argument.path, "id"], value: id },
    named,
  );
}

/** The value that an object has under a name, if it has nothing else. */
function only(name: string, value: unknown): unknown {
  const given = Object.entries(Object(value)).filter(([, each]) => each !== undefined && each !== null);
  return given.length === 1 && given[0]?.[0] === name ? given[0][1] : undefined;
}
