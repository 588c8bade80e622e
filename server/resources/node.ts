import { isUuid } from "../../formats/uuid.ts";
import { inputError } from "../errors.ts";
import { EVERY_ID } from "../id.ts";
import { MAX_PAGE } from "../read/connection/page.ts";
import type { Build } from "../read/entity.ts";
import { textSql } from "../read/json.ts";
import { rowJson } from "../read/plan.ts";
import { bind, column, entityOf, inTenant, newRow } from "../read/row.ts";
import { argsOf, type Selection } from "../read/selection.ts";
import type { RootValue } from "./resource.ts";

/** The id that a text names. No row has `EVERY_ID`, which stands for a text that is no UUID. */
const idOf = (value: unknown): string => (isUuid(String(value)) ? String(value) : EVERY_ID);

/** Root field `node`: anything by its id. */
export const node: RootValue = {
  sql(build, selection) {
    const id = bind(build, `${selection.argumentIndex}.id`, "uuid", ({ args }) => idOf(argsOf(selection, args).id));
    return anythingSql(build, id, selection);
  },
};

/** Root field `nodes`: several things by their ids, in their order. */
export const nodes: RootValue = {
  sql(build, selection) {
    const ids = bind(build, `${selection.argumentIndex}.ids`, "uuid[]", ({ args }) =>
      idsOf(argsOf(selection, args).ids as readonly unknown[]),
    );
    return `(select '[' || coalesce(string_agg(${anythingSql(build, "g.id", selection)}, ',' order by g.n), '') || ']'
      from unnest(${ids}) with ordinality g (id, n))`;
  },
};

/** @throws inputError for more ids than a page has entries. */
function idsOf(ids: readonly unknown[]): string[] {
  if (ids.length > MAX_PAGE) throw inputError(`ids takes at most ${MAX_PAGE} ids; there are ${ids.length}`, "ids");
  return ids.map(idOf);
}

/** SQL of the text of the row of that id, whatever it is: each kind is looked up in turn until one has it. */
const anythingSql = (build: Build, id: string, { children }: Selection): string =>
  `coalesce(${[...children.map((each) => rowSql(build, id, each)), "'null'"].join(", ")})`;

function rowSql(build: Build, id: string, { type, children }: Selection): string {
  // To those who may not read rows of this kind there is none, whatever else the id may be of.
  const { ownersOnly, ...entity } = entityOf(build, type);
  const row = newRow(build, entity);
  const json = textSql(rowJson(row, children));
  const allowed = ownersOnly ? ` and ${bind(build, "owner", "boolean", ({ scope }) => scope.role === "owner")}` : "";
  return `(select ${json} from "${entity.table}" ${row.alias}${row.frame.joins.join("")}
    where ${inTenant(row)} and ${column(row, "id")} = ${id}${allowed})`;
}
