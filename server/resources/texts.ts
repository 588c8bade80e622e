import { buildIsNotNfcSql } from "../../db/text/canonical.ts";
import type { Derivation } from "../read/entity.ts";

/** A table that contains, for each row of another table, the text that searches read. The table has a trigram index. */
export interface SearchTextTable {
  table: string;
  of: "issue" | "comment";
  /** Columns that the text contains. */
  columns: readonly string[];
  /** SQL for the text of a row. */
  text(alias: string): string;
}

/**
 * SQL for a text in the form that searches read: the canonical form (NFC), followed by the stored form if the two forms
 * differ. Servers of version 0.2.0, which may run at the same time, search the stored form.
 */
const inBothForms = (text: string): string =>
  `case when ${buildIsNotNfcSql(text)} then normalize(${text}, NFC) || ' ' || ${text} else ${text} end`;

export const SEARCH_TEXT_TABLES: readonly SearchTextTable[] = [
  {
    table: "issueText",
    of: "issue",
    columns: ["title", "description"],
    text: (alias) =>
      `' ' || ${inBothForms(`${alias}.title`)} || ' ' || coalesce(${inBothForms(`${alias}.description`)}, '')`,
  },
  { table: "commentText", of: "comment", columns: ["body"], text: (alias) => `' ' || ${inBothForms(`${alias}.body`)}` },
];

/**
 * Raw SQL, also in the statements below. Writes the changed texts of the rows `r` that satisfy a condition. Without
 * `offset 0`, Citus would plan the insert once per shard. A function returns the language: if the insert itself read
 * the reference table, Citus would send the insert to all nodes.
 */
export const upsertSearchTextsSql = ({ table, of, text }: SearchTextTable, where: string): string =>
  `insert into "${table}" as x ("organizationId", id, "createdAt", text, language)
   select r."organizationId", r.id, r."createdAt", ${text("r")}, ${LANGUAGE_OF_TEXTS} from "${of}" r where ${where} offset 0
   on conflict ("organizationId", id) do update set text = excluded.text, language = excluded.language
   where (x.text, x.language) is distinct from (excluded.text, excluded.language)`;

/** SQL for the search language of organization $1, which determines the stems of words. */
const LANGUAGE_OF_TEXTS = "(select search_language($1))";

/**
 * SQL condition: the text `x` of row `r` in organization $1 is missing or outdated. The language is read from the
 * table, because Citus nodes cannot run functions of this schema.
 */
export const searchTextDiffersSql = ({ text }: SearchTextTable): string => `(x.text is distinct from ${text("r")}
  or x.language is distinct from (select o."searchLanguage" from organization o where o.id = $1))`;

/** Number of texts per table whose language changes immediately with the organization's language. */
const CHANGED_AT_ONCE = 2_000;

/** SQL that sets language $2 on the newest texts of organization $1. A job changes the other texts. */
export const CHANGE_SEARCH_LANGUAGE_SQL: readonly string[] = SEARCH_TEXT_TABLES.map(
  ({ table }) => `update "${table}" x set language = $2 where x."organizationId" = $1 and x.id = any(array(
    select n.id from "${table}" n where n."organizationId" = $1 order by n."createdAt" desc, n.id desc limit ${CHANGED_AT_ONCE}))`,
);

/** SQL that writes all texts into an empty table. */
export const insertAllSearchTextsSql = ({ table, of, text }: SearchTextTable): string =>
  `insert into "${table}" ("organizationId", id, "createdAt", text, language)
   select r."organizationId", r.id, r."createdAt", ${text("r")}, o."searchLanguage"
   from "${of}" r join organization o on o.id = r."organizationId"`;

/**
 * Returns a derivation that writes the search texts of a table when rows change. `searched` names the fields that the
 * text contains.
 */
export function createSearchTextDerivation(of: SearchTextTable["of"], searched: readonly string[]): Derivation {
  const texts = SEARCH_TEXT_TABLES.find((each) => each.of === of);
  if (!texts) throw new Error(`no texts of ${of}`);
  const text = upsertSearchTextsSql(texts, `r."organizationId" = $1 and r.id = any($2::uuid[])`);
  return {
    table: texts.table,
    from: texts.columns,
    searched,
    refill: insertAllSearchTextsSql(texts),
    statements(organizationId, changes) {
      // Deleted rows need no statement here, because a text is deleted together with its row.
      const ids = changes.flatMap(({ id, after }) => (after ? [id] : []));
      return ids.length > 0 ? [{ name: `texts-${of}`, text, values: [organizationId, ids] }] : [];
    },
  };
}
