import type { Derivation } from "../read/entity.ts";

/** A table beside another one that holds the text of its rows, with an index of the text's parts: searches read it. */
export interface TextTable {
  table: string;
  of: "issue" | "comment";
  /** The columns that the text is made of. */
  columns: readonly string[];
  /** SQL of the text of a row. */
  text(alias: string): string;
}

/** Every such table. */
export const TEXT_TABLES: readonly TextTable[] = [
  {
    table: "issueText",
    of: "issue",
    columns: ["title", "description"],
    text: (alias) => `' ' || ${alias}.title || ' ' || coalesce(${alias}.description, '')`,
  },
  { table: "commentText", of: "comment", columns: ["body"], text: (alias) => `' ' || ${alias}.body` },
];

/**
 * Raw SQL here and below. Writes the texts of the rows that satisfy a condition about `r`, where they differ. `offset 0`: where tables lie
 * on several nodes, an insert that might take rows of any node is planned once for each shard. The language is a function's
 * answer: an insert that itself reads a table which is whole on every node would be sent to all of them.
 */
export const writeTexts = ({ table, of, text }: TextTable, where: string): string =>
  `insert into "${table}" as x ("organizationId", id, "createdAt", text, language)
   select r."organizationId", r.id, r."createdAt", ${text("r")}, ${LANGUAGE_OF_TEXTS} from "${of}" r where ${where} offset 0
   on conflict ("organizationId", id) do update set text = excluded.text, language = excluded.language
   where (x.text, x.language) is distinct from (excluded.text, excluded.language)`;

/** SQL of the language by whose stems the texts of organization $1 are found. */
const LANGUAGE_OF_TEXTS = "(select search_language($1))";

/** SQL of whether a text `x` of the row `r` of organization $1 is missing, or is another. A node reads no function of ours. */
export const textDiffers = ({ text }: TextTable): string => `(x.text is distinct from ${text("r")}
  or x.language is distinct from (select o."searchLanguage" from organization o where o.id = $1))`;

/** Texts of each table that are of another language as soon as the organization is. */
const CHANGED_AT_ONCE = 2_000;

/** SQL by which the newest texts of organization $1 are of language $2. A job follows with all others. */
export const CHANGE_LANGUAGE: readonly string[] = TEXT_TABLES.map(
  ({ table }) => `update "${table}" x set language = $2 where x."organizationId" = $1 and x.id = any(array(
    select n.id from "${table}" n where n."organizationId" = $1 order by n."createdAt" desc, n.id desc limit ${CHANGED_AT_ONCE}))`,
);

/** SQL that writes every text into the empty table. */
export const allTexts = ({ table, of, text }: TextTable): string =>
  `insert into "${table}" ("organizationId", id, "createdAt", text, language)
   select r."organizationId", r.id, r."createdAt", ${text("r")}, o."searchLanguage"
   from "${of}" r join organization o on o.id = r."organizationId"`;

/** The texts of a table as what follows from its rows; `searched` are the values that are part of them. */
export function textsOf(of: TextTable["of"], searched: readonly string[]): Derivation {
  const texts = TEXT_TABLES.find((each) => each.of === of);
  if (!texts) throw new Error(`no texts of ${of}`);
  const text = writeTexts(texts, `r."organizationId" = $1 and r.id = any($2::uuid[])`);
  return {
    table: texts.table,
    from: texts.columns,
    searched,
    refill: allTexts(texts),
    statements(organizationId, changes) {
      // A text goes with its row.
      const ids = changes.flatMap(({ id, after }) => (after ? [id] : []));
      return ids.length > 0 ? [{ name: `texts-${of}`, text, values: [organizationId, ids] }] : [];
    },
  };
}
