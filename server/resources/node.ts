import { isUuid } from "../../formats/uuid.ts";
import { inputError } from "../errors.ts";
import { MAX_UUID } from "../id.ts";
import { MAX_PAGE_SIZE } from "../read/connection/page.ts";
import type { StatementBuild } from "../read/entity.ts";
import { jsonToTextSql } from "../read/json.ts";
import { rowJson } from "../read/plan.ts";
import { bindParameter, columnSql, findEntity, isReadableByCallerSql, newRow } from "../read/row.ts";
import { type Selection, selectedArguments } from "../read/selection.ts";
import type { RootFieldValue } from "./resource.ts";

/** Returns the id in a text. A text that is no UUID becomes `MAX_UUID`, which no row has. */
const idOf = (value: unknown): string => (isUuid(String(value)) ? String(value) : MAX_UUID);

/** Root field `node`: any row by its id. */
export const node: RootFieldValue = {
  sql(build, selection) {
    const id = bindParameter(build, `${selection.argumentIndex}.id`, "uuid", ({ args }) =>
      idOf(selectedArguments(selection, args).id),
    );
    return anythingSql(build, id, selection);
  },
};

/** Root field `nodes`: several rows by their ids, in the same order. */
export const nodes: RootFieldValue = {
  sql(build, selection) {
    const ids = bindParameter(build, `${selection.argumentIndex}.ids`, "uuid[]", ({ args }) =>
      idsOf(selectedArguments(selection, args).ids as readonly unknown[]),
    );
    return `(select '[' || coalesce(string_agg(${anythingSql(build, "g.id", selection)}, ',' order by g.n), '') || ']'
      from unnest(${ids}) with ordinality g (id, n))`;
  },
};

/** @throws inputError for more ids than a page may have entries. */
function idsOf(ids: readonly unknown[]): string[] {
  if (ids.length > MAX_PAGE_SIZE)
    throw inputError(`ids takes at most ${MAX_PAGE_SIZE} ids; there are ${ids.length}`, "ids");
  return ids.map(idOf);
}

/**
 * SQL for the JSON text of the row with an id. The row may have any of the selected types, so the SQL searches each
 * type in turn until a row is found.
 */
const anythingSql = (build: StatementBuild, id: string, { children }: Selection): string =>
  `coalesce(${[...children.map((each) => rowSql(build, id, each)), "'null'"].join(", ")})`;

function rowSql(build: StatementBuild, id: string, { type, children }: Selection): string {
  // A caller without access to a type finds no row of the type, even if the id exists.
  const { ownersOnly, ...entity } = findEntity(build, type);
  const row = newRow(build, entity);
  const json = jsonToTextSql(rowJson(row, children));
  const allowed = ownersOnly
    ? ` and ${bindParameter(build, "owner", "boolean", ({ scope }) => scope.role === "owner")}`
    : "";
  return `(select ${json} from "${entity.table}" ${row.alias}${row.frame.joins.join("")}
    where ${isReadableByCallerSql(row)} and ${columnSql(row, "id")} = ${id}${allowed})`;
}
