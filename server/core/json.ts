import type { ValueType } from "./entity.ts";

/** PostgreSQL takes at most 100 arguments a call: 50 members an object. */
const MEMBERS = 50;

/** SQL of a JSON object with the members in order. Keys are GraphQL names or column names: no quoting needed. */
export function jsonObject(members: readonly (readonly [key: string, sql: string])[]): string {
  const build = (part: typeof members) =>
    `json_build_object(${part.map(([key, sql]) => `'${key}', ${sql}`).join(", ")})`;
  if (members.length <= MEMBERS) return build(members);
  const parts: string[] = [];
  for (let at = 0; at < members.length; at += MEMBERS) {
    const object = `${build(members.slice(at, at + MEMBERS))}::text`;
    parts.push(
      at === 0
        ? `left(${object}, -1)`
        : `', ' || substr(${at + MEMBERS < members.length ? `left(${object}, -1)` : object}, 2)`,
    );
  }
  return `(${parts.join(" || ")})::json`;
}

/** SQL that shows a stored value as the wire has it. The session's time zone is UTC. */
export const shown = (type: ValueType, sql: string): string =>
  type === "timestamp" ? `to_char(${sql}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')` : sql;

/** The PostgreSQL type a parameter is cast to when it is compared with a value. */
export const castOf = (type: ValueType): string =>
  ({
    uuid: "uuid",
    text: "text",
    integer: "float8",
    float: "float8",
    boolean: "boolean",
    timestamp: "timestamptz",
    date: "date",
    json: "json",
    "text[]": "text[]",
  })[type];
