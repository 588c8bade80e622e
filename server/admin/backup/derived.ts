import { COUNT_ANEW, COUNTED } from "../../resources/recorded/analytics/index.ts";

const UNCOUNTED = ["recorded_delta", "recorded_action"];

/** Tables that a restore empties. Jobs fill them again from recorded events; until then, responses say that they are incomplete. */
export const EMPTIED: readonly string[] = [...COUNTED, ...UNCOUNTED];

/** Columns that a restore sets to these SQL values, by table: jobs compute them again. */
export const RESET: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  recorded_session: { events: "null", unread_from: "'-infinity'" },
  recorded_rollup: { counted: "false", positions: "'{}'" },
};

/**
 * Raw SQL, as all of a restore. Values that follow from recorded events are derived anew: another release may have made the
 * backup, or servers may have recorded while the embedded engine wrote it.
 */
export const DERIVE_ANEW: readonly string[] = [
  ...COUNT_ANEW,
  ...UNCOUNTED.map((table) => `delete from ${table}`),
  ...Object.entries(RESET).map(
    ([table, values]) =>
      `update ${table} set ${Object.entries(values)
        .map(([column, value]) => `${column} = ${value}`)
        .join(", ")}`,
  ),
];
