import { inputError } from "../../errors.ts";
import { connectionJson } from "../../read/connection/connection.ts";
import type { Order } from "../../read/connection/order.ts";
import type { Build, SqlRow } from "../../read/entity.ts";
import { rowJson } from "../../read/plan.ts";
import { bind, column, fieldValue, organization, shapeOf } from "../../read/row.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import type { Resource } from "../resource.ts";
import { issue } from "./issue.ts";

const MAX_TERM = 512;
const MAX_WORDS = 20;

/** Root field `searchIssues`: issues that have all words of a term, in any case, best match first. */
export const search: Resource = {
  entity: { ...issue.entity, name: "IssueSearchResult", rowsOf: "Issue" },
  values: {
    searchIssues: {
      sql: (build, selection) =>
        connectionJson(build, {
          source: null,
          link: { entity: "IssueSearchResult", where: (row) => matches(row, selection) },
          selection,
          rowJson,
          order: rank(build, selection),
        }),
    },
  },
};

/** All words stand in the issue's own text, or, when comments count too, in one of its comments. */
function matches(row: SqlRow, selection: Selection): string {
  const { build } = row;
  const { teamId } = shapeOf(build, selection);
  const patterns = words(build, selection, (word) => `%${word}%`);
  const own = `(${[
    identifier(row),
    `array_to_string(${column(row, "previousIdentifiers")}, ' ')`,
    column(row, "title"),
  ].join(" || ' ' || ")} || ' ' || coalesce(${column(row, "description")}, '')) ilike all(${patterns})`;
  const inComments = `exists (select 1 from comment c where c."organizationId" = ${organization(build)}
    and c."issueId" = ${column(row, "id")} and c.body ilike all(${patterns}))`;
  const wanted = bind(
    build,
    `${selection.argumentIndex}.comments`,
    "boolean",
    ({ args }) => argsOf(selection, args).includeComments,
  );
  const found = `(${own} or (${wanted} and ${inComments}))`;
  return teamId !== undefined ? `${found} and ${inTeam(row, selection)}` : found;
}

/** How well a row matches: its identifier before words of the title before words within. */
function rank(build: Build, selection: Selection): Order {
  const orderBy = shapeOf(build, selection).orderBy ?? "createdAt";
  const score = (row: SqlRow) => `(
    case when ${identifier(row)} ilike ${wholeTerm(build, selection)} then 1000 else 0 end
    + (select sum(case when ' ' || ${column(row, "title")} ilike '% ' || w || '%' then 8
        when ${column(row, "title")} ilike '%' || w || '%' then 4 else 0 end
      + case when ${identifier(row)} ilike '%' || w || '%' then 2 else 0 end)
      from unnest(${words(build, selection, (word) => word)}) w))::integer`;
  const step = { nullsFirst: false, nullable: false, descending: true };
  return {
    signature: `search,${orderBy}`,
    steps: [
      { ...step, name: "rank", type: "integer", sql: score },
      { ...step, name: String(orderBy), type: "timestamp", sql: (row) => column(row, String(orderBy)) },
    ],
  };
}

const identifier = (row: SqlRow): string => fieldValue(row, "identifier")?.sql ?? "''";

const inTeam = (row: SqlRow, selection: Selection): string => {
  const team = bind(row.build, `${selection.argumentIndex}.teamId`, "text", ({ args }) =>
    // Longer than any id or key: no team has it.
    String(argsOf(selection, args).teamId).replaceAll("\0", "\uFFFD").slice(0, 300),
  );
  return `(${column(row, "teamId")}::text = lower(${team}) or ${column(row, "teamId")} = (select k."teamId" from "teamKey" k
    where k."organizationId" = ${organization(row.build)} and k.key = upper(${team})))`;
};

const escaped = (word: string) => word.replace(/[\\%_]/g, "\\$&").replaceAll("\0", "\uFFFD");

const wholeTerm = (build: Build, selection: Selection): string =>
  bind(build, `${selection.argumentIndex}.term`, "text", ({ args }) =>
    escaped(String(argsOf(selection, args).term).trim()),
  );

/** The words of the term as LIKE patterns, bound. */
const words = (build: Build, selection: Selection, pattern: (word: string) => string): string =>
  bind(build, `${selection.argumentIndex}.${pattern("word")}`, "text[]", ({ args }) =>
    wordsOf(String(argsOf(selection, args).term)).map((word) => pattern(escaped(word))),
  );

/** @throws inputError for a term without a word, or with too many. */
function wordsOf(term: string): string[] {
  const found = term.split(/\s+/).filter(Boolean);
  if (found.length === 0) throw inputError("term must have a word to look for", "term");
  if (term.length > MAX_TERM || found.length > MAX_WORDS) {
    throw inputError(`term must have at most ${MAX_TERM} characters and ${MAX_WORDS} words`, "term");
  }
  return found;
}
