import { conditionsOf } from "../../../read/connection/connection.ts";
import type { Build, SqlRow } from "../../../read/entity.ts";
import { bind, column, entityOf, inTenant, newRow, organization, shapeOf } from "../../../read/row.ts";
import { argsOf, type Selection } from "../../../read/selection.ts";
import { comparable, folded, isAscii } from "../../searched.ts";
import { query } from "./queries.ts";
import { type Asked, askedOf, type Term } from "./term.ts";

/** So many hits are ranked, the newest. */
export const RANKED = 1_000;

/** Marks that a word of a title may stand beside. */
const MARKS = '.,:;!?()[]{}"/-_';

/** A search as its parts are written. */
export interface Search {
  build: Build;
  selection: Selection;
}

/** A table of the texts that are looked through. */
export type TextTable = "issueText" | "commentText";

/** The tables that a search is asked to look through. */
export const tablesOf = ({ build, selection }: Search): TextTable[] =>
  shapeOf(build, selection).includeComments === true ? ["issueText", "commentText"] : ["issueText"];

/**
 * Texts, and the table they come from; `each`: the issue of each text that satisfies the conditions is looked up by
 * itself. `rank` is SQL of how well such a text matches.
 */
export interface From {
  table: TextTable;
  rows: string;
  rank: string;
  /** The texts have a column `way`: those with the highest go first. */
  way?: true;
  each?: true;
}

/** SQL of the issues whose text, or whose comments' text, satisfies conditions about `x`. Raw SQL: a part of what the read planner writes. */
export function issuesOf(
  search: Search,
  { table, rows, rank, way, each }: From,
  conditions: readonly string[],
): string {
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
  return `select f.id, f."createdAt", ${rank} + ${titleRank("f.title")} as rank from (
    select ${alias}.id, ${alias}."createdAt", ${alias}.title, x.words${way ? ", x.way" : ""} from ${rows} x${through}${issue}${row.frame.joins.join("")}
    where x."organizationId" = ${org} and ${[...conditions, ...shown].join(" and ")}
    order by ${way ? "x.way desc, " : ""}x."createdAt" desc, x.id desc limit ${RANKED}) f`;
}

/** SQL of how many of the words stand in a title, and how: as they are, in another form, or within a word. */
export const titleRank = (title: string): string =>
  `(select coalesce(sum(case when t.bare like '% ' || w.word || ' %' then 10 when t.bare like '% ' || w.stem || '%' then 8
      when strpos(t.bare, w.word) > 0 then 4 else 0 end), 0)
    from (select ' ' || translate(lower(${title}), '${MARKS}', repeat(' ', ${MARKS.length})) || ' ' as bare offset 0) t,
      unnest(${query("plain")}, ${query("stems")}) w (word, stem))`;

/**
 * SQL of the issues that ids name, with their ranks. Each is looked up by itself: a statement that is prepared for any
 * organization would else read all of a large one, which it takes for an average one.
 */
export function issuesNamed(search: Search, hits: string, bonus: (row: SqlRow) => string): string {
  const row = newRow(search.build, entityOf(search.build, "IssueSearchResult"));
  const { alias } = row;
  const rank = `(h.rank + ${bonus(row)})::integer`;
  const conditions = [inTenant(row), `${column(row, "id")} = h.id`, ...teamIf(search, row)];
  return `select i.* from (${hits}) h, lateral (select ${alias}.*, ${rank} as rank from issue ${alias}${row.frame.joins.join("")}
    where ${conditions.join(" and ")} offset 0) i`;
}

/** SQL of the conditions that the arguments beside the term set, and the words that an issue must not have. */
export function shownIf(search: Search, row: SqlRow): string[] {
  const { build, selection } = search;
  const conditions = conditionsOf(row, selection.argumentIndex, shapeOf(build, selection));
  const excludes = value(
    search,
    "excludes",
    "boolean",
    ({ without }) => without.words.length + without.literals.length > 0,
  );
  const left = holdsAny(search, "e.text", "without.literals", ({ without }) => without.literals);
  const excluded = `exists (select from "issueText" e where e."organizationId" = ${organization(build)}
    and e.id = ${column(row, "id")} and (coalesce(e.words @@ ${query("without")}, false) or ${left}))`;
  return ["true", ...conditions, ...teamIf(search, row), `(not ${excludes} or not ${excluded})`];
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

type Texts = (term: Term, whole: string) => readonly string[];

/** SQL of whether a text has all of some texts, in any case. With none the database does not read the text. */
export const holdsAll = (search: Search, text: string, key: string, of: Texts): string => {
  const { wanted, among } = held(search, text, key, of);
  return `(cardinality(${wanted}) = 0 or (select bool_and(strpos(l.text, l.wanted) > 0) from ${among} l))`;
};

/** SQL of whether a text has one of some texts. */
const holdsAny = (search: Search, text: string, key: string, of: Texts): string =>
  `exists (select from ${held(search, text, key, of).among} l where strpos(l.text, l.wanted) > 0)`;

/** Pairs of a text, which is folded once, and each of the wanted ones. */
function held(search: Search, text: string, key: string, of: Texts) {
  const wanted = value(search, key, "text[]", (term, whole) => of(term, whole).map(comparable));
  const ascii = value(search, `${key}.ascii`, "boolean", (term, whole) => of(term, whole).every(isAscii));
  const among = `(select t.text, ${folded("w", ascii)} as wanted
    from (select ${folded(text, ascii)} as text offset 0) t, unnest(${wanted}) w)`;
  return { wanted, among };
}

/** A value that is made of the term, bound. @throws inputError where there is nothing to find. */
export const value = (
  { build, selection }: Search,
  key: string,
  cast: string,
  of: (term: Term, whole: string) => unknown,
): string =>
  bind(build, `${selection.argumentIndex}.search.${key}`, cast, ({ args }) => {
    const { term, whole }: Asked = askedOf(argsOf(selection, args));
    return of(term, whole);
  });
