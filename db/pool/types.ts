import pg from "pg";

const { INT8, DATE } = pg.types.builtins;
const INT8_ARRAY = 1016;

const parsers: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [INT8_ARRAY]: (text) => text.slice(1, -1).split(",").filter(Boolean).map(Number),
  [DATE]: (text) => text,
};

/**
 * Parsers of values on every connection: int8 as a number (counters stay below 2^53), date as text (a Date would shift
 * with the time zone), other types as the driver parses them.
 */
export const valueParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers[oid]) || pg.types.getTypeParser(oid, format),
};
