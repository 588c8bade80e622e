import { isUuid } from "../../formats/uuid.ts";
import { inputError } from "../errors.ts";
import { EVERY_ID } from "../id.ts";
import { MAX_PAGE } from "../read/connection/page.ts";
import type { Build } from "../read/entity.ts";
import { textSql } from "../read/json.ts";
import { rowJson } from "../read/plan.ts";
import { bind, column, findEntity, inTenantSql, newRow } from "../read/row.ts";
import { type Selection, selectedArguments } from "../read/selection.ts";
import type { RootValue } from "./resource.ts";

/** Returns the id in a text. A text that is no UUID becomes `EVERY_ID`, which no row has. */
const idOf = (value: unknown): string => (isUuid(String(value)) ? String(value) : EVERY_ID);

/** Root field `node`: any row by its id. */
export const node: RootValue = {
  sql(build, selection) {
    const id = bind(build, `${selection.argumentIndex}.id`, "uuid", ({ args }) =>
      idOf(selectedArguments(selection, args).id),
    );
    return anythingSql(build, id, selection);
  },
};

/** Root field `nodes`: several rows by their ids, in the same order. */
export const nodes: RootValue = {
  sql(build, selection) {
    const ids = bind(build, `${selection.argumentIndex}.ids`, "uuid[]", ({ args }) =>
      idsOf(selectedArguments(selection, args).ids as readonly unknown[]),
    );
    return `(select '[' || coalesce(string_agg(${anythingSql(build, "g.id", selection)}, ',' order by g.n), '') || ']'
      from unnest(${ids}) with ordinality g (id, n))`;
  },
};

/** @throws inputError for more ids than a page may have entries. */
function idsOf(ids: readonly unknown[]): string[] {
  if (ids.length > MAX_PAGE) throw inputError(`ids takes at most ${MAX_PAGE} ids; there are ${ids.length}`, "ids");
  return ids.map(idOf);
}

/** SQL for the text of the row with an id, of any type: each type is searched in turn until a row is found. */
const anythingSql = (build: Build, id: string, { children }: Selection): string =>
  `coalesce(${[...children.map((each) => rowSql(build, id, each)), "'null'"].join(", ")})`;

function rowSql(build: Build, id: string, { type, children }: Selection): string {
  // A caller without access to a type finds no row of the type, even if the id exists.
  const { ownersOnly, ...entity } = findEntity(build, type);
  const row = newRow(build, entity);
  const json = textSql(rowJson(row, children));
  const allowed = ownersOnly ? ` and ${bind(build, "owner", "boolean", ({ scope }) => scope.role === "owner")}` : "";
  return `(select ${json} from "${entity.table}" ${row.alias}${row.frame.joins.join("")}
    where ${inTenantSql(row)} and ${column(row, "id")} = ${id}${allowed})`;
}
