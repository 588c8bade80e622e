import type { Statement } from "../../../db/open.ts";
import { TEXT_TABLES, writeTexts } from "../../../db/texts.ts";
import type { Operation, Write } from "../write.ts";

const statements = TEXT_TABLES.map((table) => ({
  ...table,
  name: `texts-${table.of}`,
  sql: writeTexts(table, `r."organizationId" = $1 and r.id = any($2::uuid[])`),
}));

/** The rows whose text a mutation changes, by their table. */
export const changedTexts = ({ operations }: Write): [table: string, ids: string[]][] =>
  TEXT_TABLES.flatMap(({ of, columns }) => {
    const ids = operations.filter((operation) => operation.table === of).flatMap((each) => changed(each, columns));
    return ids.length > 0 ? [[of, ids] as [string, string[]]] : [];
  });

/** The statements that keep what searches read of an organization like what was written. */
export const textStatements = (organizationId: string, texts: ReadonlyMap<string, readonly string[]>): Statement[] =>
  statements.flatMap(({ of, name, sql }) => {
    const ids = texts.get(of);
    return ids ? [{ name, text: sql, values: [organizationId, ids] }] : [];
  });

function changed(operation: Operation, columns: readonly string[]): string[] {
  if (operation.kind === "insert") return [String(operation.row["id"])];
  const touched = operation.kind === "update" && columns.some((column) => column in operation.patch);
  return touched ? [String(operation.where["id"])] : [];
}
