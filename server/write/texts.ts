import type { Statement } from "../../db/open.ts";
import { TEXT_TABLES, writeTexts } from "../../db/texts.ts";
import type { Operation, Write } from "./write.ts";

const statements = TEXT_TABLES.map((table) => ({
  ...table,
  name: `texts-${table.of}`,
  sql: writeTexts(table, `r."organizationId" = $1 and r.id = any($2::uuid[])`),
}));

/** The statements that keep what searches read like what was written; none where no text was. */
export const textStatements = ({ operations, scope }: Write): Statement[] =>
  statements.flatMap(({ of, columns, name, sql }) => {
    const ids = operations.filter((operation) => operation.table === of).flatMap((each) => changed(each, columns));
    return ids.length > 0 ? [{ name, text: sql, values: [scope.organizationId, ids] }] : [];
  });

function changed(operation: Operation, columns: readonly string[]): string[] {
  if (operation.kind === "insert") return [String(operation.row["id"])];
  const touched = operation.kind === "update" && columns.some((column) => column in operation.patch);
  return touched ? [String(operation.where["id"])] : [];
}
