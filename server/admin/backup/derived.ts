import { COUNTED_TABLES, MARK_EVERYTHING_STATEMENTS } from "../../resources/recorded/analytics/index.ts";

const UNCOUNTED = ["recorded_delta", "recorded_action"];

/**
 * Tables that a restore empties. Jobs fill these tables again from recorded events; until then, responses
 * report incomplete figures.
 */
export const TABLES_EMPTIED_BY_RESTORE: readonly string[] = [...COUNTED_TABLES, ...UNCOUNTED];

/** By table, the columns that a restore resets, with the SQL values to set. Jobs compute the columns again. */
export const COLUMNS_RESET_BY_RESTORE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  recorded_session: { events: "null", unread_from: "'-infinity'" },
  recorded_rollup: { counted: "false", positions: "'{}'" },
};

/**
 * Raw SQL, as in all code of a restore. The statements empty tables and reset columns that are derived from recorded
 * events, so that jobs compute the values again. The reason: another release may have made the backup, or servers may
 * have recorded events while the embedded engine wrote the backup.
 */
export const RECOMPUTE_STATEMENTS: readonly string[] = [
  ...MARK_EVERYTHING_STATEMENTS,
  ...UNCOUNTED.map((table) => `delete from ${table}`),
  ...Object.entries(COLUMNS_RESET_BY_RESTORE).map(
    ([table, values]) =>
      `update ${table} set ${Object.entries(values)
        .map(([column, value]) => `${column} = ${value}`)
        .join(", ")}`,
  ),
];
