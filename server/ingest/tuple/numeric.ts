import type { PostgresType } from "./types.ts";
import { putInt16, putInt32, type Writer } from "./writer.ts";

/** Number of decimal digits per group in PostgreSQL's binary format for NUMERIC. */
const GROUP = 4;

/**
 * NUMERIC type. Writes non-negative decimal text as groups of four digits, and the position of the decimal point
 * between the groups.
 */
export const numeric: PostgresType<string> = {
  sql: "numeric",
  oid: 1700,
  put(to: Writer, value: string): void {
    const [whole = "", fraction = ""] = value.split(".");
    const front = Math.ceil(whole.length / GROUP);
    const back = Math.ceil(fraction.length / GROUP);
    const digits = whole.padStart(front * GROUP, "0") + fraction.padEnd(back * GROUP, "0");
    const groups = Array.from({ length: front + back }, (_, at) => Number(digits.slice(at * GROUP, (at + 1) * GROUP)));
    putInt32(to, 8 + 2 * groups.length);
    for (const number of [groups.length, front - 1, 0, fraction.length, ...groups]) putInt16(to, number);
  },
};
