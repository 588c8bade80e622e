import { conditionsOf } from "../../../read/connection/connection.ts";
import type { Build, SqlRow } from "../../../read/entity.ts";
import { bind, column, organization, shapeOf } from "../../../read/row.ts";
import { argsOf, type Selection } from "../../../read/selection.ts";
import { indexedWords, walked } from "./words.ts";

/** A search as its parts are written. */
export interface Search {
  build: Build;
  selection: Selection;
}

/** What the arguments beside the term ask of an issue. */
export function shownIf({ build, selection }: Search, row: SqlRow): string[] {
  const args = shapeOf(build, selection);
  const conditions = conditionsOf(row, selection.argumentIndex, args);
  return ["true", ...conditions, ...(args.teamId === undefined ? [] : [inTeam(row, selection)])];
}

const inTeam = (row: SqlRow, selection: Selection): string => {
  const team = bind(row.build, `${selection.argumentIndex}.teamId`, "text", ({ args }) =>
    // Longer than any id or key: no team has it.
    String(argsOf(selection, args).teamId).slice(0, 300),
  );
  return `(${column(row, "teamId")}::text = lower(${team}) or ${column(row, "teamId")} = (select k."teamId" from "teamKey" k
    where k."organizationId" = ${organization(row.build)} and k.key = upper(${team})))`;
};

/** SQL of whether the index has a part of the term. */
export const isIndexed = (search: Search): string =>
  value(search, "indexed", "boolean", (term) => indexedWords(term).length > 0);

/** SQL of whether texts are walked for the term. */
export const isWalked = (search: Search): string => value(search, "walked", "boolean", walked);

/** A value that is made of the term, bound. */
export const value = ({ build, selection }: Search, key: string, cast: string, of: (term: string) => unknown): string =>
  bind(build, `${selection.argumentIndex}.search.${key}`, cast, ({ args }) => of(String(argsOf(selection, args).term)));
