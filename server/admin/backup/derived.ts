import { COUNT_ANEW, COUNTED } from "../../resources/recorded/analytics/index.ts";

const UNCOUNTED = ["recorded_delta", "recorded_action"];

/**
 * Tables that a restore empties. Jobs fill these tables again from recorded events; until then, responses
 * report incomplete figures.
 */
export const EMPTIED_TABLES: readonly string[] = [...COUNTED, ...UNCOUNTED];

/** Columns, by table, and the SQL values that a restore sets. Jobs compute the columns again. */
export const RESET_COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  recorded_session: { events: "null", unread_from: "'-infinity'" },
  recorded_rollup: { counted: "false", positions: "'{}'" },
};

/**
 * Raw SQL, as in all code of a restore. Has the values that are derived from recorded events computed again. Another
 * release may have made the backup, or servers may have recorded events while the embedded engine wrote the backup.
 */
export const RECOMPUTE_STATEMENTS: readonly string[] = [
  ...COUNT_ANEW,
  ...UNCOUNTED.map((table) => `delete from ${table}`),
  ...Object.entries(RESET_COLUMNS).map(
    ([table, values]) =>
      `update ${table} set ${Object.entries(values)
        .map(([column, value]) => `${column} = ${value}`)
        .join(", ")}`,
  ),
];
