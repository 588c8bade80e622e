/** A table beside another one that holds the text of its rows, with an index of the text's parts: searches read it. */
export interface TextTable {
  table: string;
  of: string;
  /** The columns the text is made of: nothing else is written when others change. */
  columns: readonly string[];
  /** SQL of the text of a row. */
  text(alias: string): string;
}

/** Every such table. A row goes with the row it is of; a backup leaves them out, and a restore makes them again. */
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
 * SQL that writes the texts of the rows that satisfy a condition about `r`, where they differ. `offset 0`: where tables lie
 * on several nodes, an insert that might take rows of any node is planned once for each shard.
 */
export const writeTexts = ({ table, of, text }: TextTable, where: string): string =>
  `insert into "${table}" as x ("organizationId", id, "createdAt", text)
   select r."organizationId", r.id, r."createdAt", ${text("r")} from "${of}" r where ${where} offset 0
   on conflict ("organizationId", id) do update set text = excluded.text where x.text is distinct from excluded.text`;

/** Rows that one statement of a fill takes: short enough that others get their turn. */
const PIECE = 2_000;
const FIRST = "'00000000-0000-0000-0000-000000000000'";

/** SQL that writes the texts of the next rows after those that have one, by key; it is over when it answers no row. */
export const fillTexts = ({ table, of, text }: TextTable): string =>
  `with last as (select "organizationId" as o, id from "${table}" order by 1 desc, 2 desc limit 1)
   insert into "${table}" ("organizationId", id, "createdAt", text)
   select r."organizationId", r.id, r."createdAt", ${text("r")} from "${of}" r
   where (r."organizationId", r.id) > (coalesce((select o from last), ${FIRST}), coalesce((select id from last), ${FIRST}))
   order by r."organizationId", r.id limit ${PIECE} on conflict do nothing returning 1`;

/** SQL that writes every text that is missing. The table has been analysed, or each row would be looked for in all. */
export const missingTexts = (table: TextTable): string =>
  `${allTexts(table)} where not exists (
     select from "${table.table}" x where x."organizationId" = r."organizationId" and x.id = r.id)
   on conflict do nothing`;

/** SQL that writes every text into the empty table. */
export const allTexts = ({ table, of, text }: TextTable): string =>
  `insert into "${table}" ("organizationId", id, "createdAt", text)
   select r."organizationId", r.id, r."createdAt", ${text("r")} from "${of}" r`;
