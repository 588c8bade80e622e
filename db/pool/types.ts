import pg from "pg";

const { INT8, DATE } = pg.types.builtins;
const INT8_ARRAY = 1016;

const parsers: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  [INT8_ARRAY]: (text) => text.slice(1, -1).split(",").filter(Boolean).map(Number),
  [DATE]: (text) => text,
};

/**
 * Parsers for the values of every connection. int8 becomes a number, because counters stay below 2^53. date stays text,
 * because a Date would shift with the time zone. Other types use the driver's parsers.
 */
export const valueParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers[oid]) || pg.types.getTypeParser(oid, format),
};
