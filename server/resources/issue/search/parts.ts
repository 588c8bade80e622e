import { conditionsOf } from "../../../read/connection/connection.ts";
import type { Build, SqlRow } from "../../../read/entity.ts";
import { bind, column, entityOf, inTenant, newRow, organization, shapeOf } from "../../../read/row.ts";
import { argsOf, type Selection } from "../../../read/selection.ts";
import { indexedWords, walked } from "./words.ts";

/** So many hits are ranked, the newest. */
export const RANKED = 1_000;

/** A search as its parts are written. */
export interface Search {
  build: Build;
  selection: Selection;
}

/** A table of the texts that are looked through. */
export type TextTable = "issueText" | "commentText";

/** Texts, and the table they come from; `each`: the issue of each text that satisfies the conditions is looked up by itself. */
export interface From {
  table: TextTable;
  rows: string;
  each?: true;
}

/** SQL of the issues whose text, or whose comments' text, satisfies conditions about `x`. Raw SQL: a part of what the read planner writes. */
export function issuesOf(search: Search, { table, rows, each }: From, conditions: readonly string[]): string {
  const org = organization(search.build);
  const row = newRow(search.build, entityOf(search.build, "IssueSearchResult"));
  const { alias } = row;
  const shown = shownIf(search, row);
  const comment = `c."organizationId" = ${org} and c.id = x.id`;
  const ofComment = each
    ? ` cross join lateral (select * from comment c where ${comment} offset 0) c`
    : ` join comment c on ${comment}`;
  const [through, id] = table === "commentText" ? [ofComment, `c."issueId"`] : ["", "x.id"];
  const own = `${alias}."organizationId" = ${org} and ${alias}.id = ${id}`;
  const issue = each
    ? ` cross join lateral (select * from issue ${alias} where ${own} offset 0) ${alias}`
    : ` join issue ${alias} on ${own}`;
  return `select ${alias}.id, ${alias}."createdAt" from ${rows} x${through}${issue}${row.frame.joins.join("")}
    where x."organizationId" = ${org} and ${[...conditions, ...shown].join(" and ")}
    order by x."createdAt" desc, x.id desc limit ${RANKED}`;
}

/**
 * SQL of the issues that ids name. Each is looked up by itself: a statement that is prepared for any organization would
 * else read all of a large one, which it takes for an average one.
 */
export function issuesNamed(search: Search, row: SqlRow, ids: string): string {
  const { alias } = row;
  const conditions = [inTenant(row), `${column(row, "id")} = h.id`, ...teamIf(search, row)];
  return `select ${alias}.* from unnest(array(${ids})) h (id),
    lateral (select * from issue ${alias} where ${conditions.join(" and ")} offset 0) ${alias}`;
}

/** SQL of the conditions that the arguments beside the term set. */
export function shownIf(search: Search, row: SqlRow): string[] {
  const { build, selection } = search;
  const conditions = conditionsOf(row, selection.argumentIndex, shapeOf(build, selection));
  return ["true", ...conditions, ...teamIf(search, row)];
}

const teamIf = ({ build, selection }: Search, row: SqlRow): string[] =>
  shapeOf(build, selection).teamId === undefined ? [] : [inTeam(row, selection)];

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
