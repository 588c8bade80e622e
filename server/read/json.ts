import type { ValueType } from "./entity.ts";

/**
 * JSON text being written in SQL: literal text, and SQL of text that is JSON. The database answers it as it stands,
 * so that nothing parses or prints it again on its way to the client.
 */
export type Json = readonly (string | { sql: string })[];

/** JSON of an object with the members in order. Keys are GraphQL names or column names: no escaping needed. */
export function objectOf(members: readonly (readonly [key: string, value: Json])[]): Json {
  const parts = members.flatMap(([key, value], at) => [`${at > 0 ? "," : ""}"${key}":`, ...value]);
  return ["{", ...parts, "}"];
}

/**
 * SQL of the text: literals and values put together, null when one of the values is. A literal alone is cast to text:
 * where it is aggregated PostgreSQL would not know its type.
 */
export function textSql(json: Json): string {
  const parts: string[] = [];
  let literal = "";
  const end = () => {
    if (literal) parts.push(`'${literal.replaceAll("'", "''")}'`);
    literal = "";
  };
  for (const piece of json) {
    if (typeof piece === "string") literal += piece;
    else {
      end();
      parts.push(piece.sql);
    }
  }
  end();
  const alone = parts.length < 2 && json.every((piece) => typeof piece === "string");
  return `(${parts.join(" || ") || "''"}${alone ? "::text" : ""})`;
}

/** JSON of a stored value as the wire has it; `nonNull` when it never is null. The session's time zone is UTC. */
export function valueJson(type: ValueType, sql: string, nonNull = false): Json {
  const { quoted, text } = TEXT_OF[type](sql);
  if (nonNull) return quoted ? ['"', { sql: text }, '"'] : [{ sql: text }];
  return [{ sql: quoted ? `coalesce('"' || ${text} || '"', 'null')` : `coalesce(${text}, 'null')` }];
}

/**
 * SQL of an object of type json, made of a record: the same text as member by member, of a fifth of the expressions. That
 * counts where a statement is planned at each use.
 */
export function recordJson(
  members: readonly (readonly [key: string, value: { type: ValueType; sql: string }])[],
): string {
  const columns = members.map(([key, { type, sql }]) => `${DATED[type] ? toChar(sql, DATED[type]) : sql} as "${key}"`);
  return `(select row_to_json(x) from (select ${columns.join(", ")}) x)`;
}

interface Text {
  /** True if quotation marks are to be put around it; to_json puts its own. */
  quoted: boolean;
  text: string;
}

const plain = (sql: string): Text => ({ quoted: false, text: `(${sql})::text` });
const escaped = (sql: string): Text => ({ quoted: false, text: `to_json(${sql})::text` });
const dated = (format: string) => (sql: string) => ({ quoted: true, text: toChar(sql, format) });
const toChar = (sql: string, format: string): string => `to_char(${sql}, '${format}')`;

/** Formats of moments and days. */
const DATED: { [type in ValueType]?: string } & Record<"timestamp" | "date", string> = {
  timestamp: 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"',
  date: "YYYY-MM-DD",
};

const TEXT_OF: Record<ValueType, (sql: string) => Text> = {
  uuid: (sql) => ({ ...plain(sql), quoted: true }),
  text: escaped,
  integer: plain,
  float: plain,
  boolean: plain,
  timestamp: dated(DATED.timestamp),
  date: dated(DATED.date),
  json: plain,
  "text[]": escaped,
};

/** The PostgreSQL type a parameter is cast to when it is compared with a value. */
export const castOf = (type: ValueType): string =>
  ({
    uuid: "uuid",
    text: "text",
    integer: "bigint",
    float: "float8",
    boolean: "boolean",
    timestamp: "timestamptz",
    date: "date",
    json: "json",
    "text[]": "text[]",
  })[type];
