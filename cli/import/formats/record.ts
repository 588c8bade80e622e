import { isObject } from "../../../formats/json.ts";
import { Unreadable } from "../read/json.ts";
import { Wrong } from "../row.ts";

/** An object of JSON whose fields may be anything. */
export type Json = Readonly<Record<string, unknown>>;

/** @throws Wrong for what is no object */
export function objectOf(record: unknown): Json {
  if (record instanceof Unreadable) throw new Wrong("", `${record.message}; mend it, or leave it out`);
  if (!isObject(record)) throw new Wrong("", "is no object; mend it, or leave it out");
  return record;
}

/** A text or a number as a text; undefined for anything else. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined;

/** The objects of a list; of a page of a connection, its nodes. */
export function listOf(value: unknown): Json[] {
  const list = Array.isArray(value) ? value : (value as { nodes?: unknown } | null | undefined)?.nodes;
  return Array.isArray(list)
    ? list.map((each) => (typeof each === "object" && each !== null ? each : { name: each }))
    : [];
}

/** An object, or nothing in it. */
export const within = (value: unknown): Json => (typeof value === "object" && value !== null ? (value as Json) : {});
