import { isObject } from "../../../../../formats/json.ts";
import { AppError } from "../../../../errors.ts";

/** An object as it was parsed. */
export type Json = Record<string, unknown>;

/** Counts the characters of what is read. */
export interface Counter {
  characters: number;
}

/** A text in an object, empty where there is none; its characters are counted. */
export function textAt(holder: Json, name: string, path: string, counter: Counter): string {
  const value = holder[name] ?? "";
  if (typeof value !== "string") throw wrong(`${path}.${name}`, "a string");
  counter.characters += value.length;
  return value;
}

/** Each object of an array in an object, and its path. */
export function* objects(holder: Json, name: string, path: string): Generator<[Json, string]> {
  const prefix = path === "" ? name : `${path}.${name}`;
  for (const [at, item] of arrayAt(holder, name, path).entries()) {
    const itemPath = `${prefix}[${at}]`;
    yield [objectOf(item, itemPath), itemPath];
  }
}

/** An array in an object, empty where there is none. */
export function arrayAt(holder: Json, name: string, path: string): unknown[] {
  const value = holder[name] ?? [];
  if (!Array.isArray(value)) throw wrong(`${path}.${name}`, "an array");
  return value;
}

/** An object in an object, empty where there is none. */
export const objectAt = (holder: Json, name: string, path: string): Json =>
  objectOf(holder[name] ?? {}, `${path}.${name}`);

/** A value that must be an object. @throws AppError 400 */
export function objectOf(value: unknown, path: string): Json {
  if (!isObject(value)) throw wrong(path, "an object");
  return value;
}

const wrong = (path: string, what: string) =>
  new AppError("input", `${path.replace(/^\./, "")} must be ${what}`, { tag: "invalid_json" });
