import { AppError } from "../../../../errors.ts";
import { type Attributes, MAX_VALUE_LEVELS, type Value } from "../../model.ts";
import { arrayAt, type Counter, type Json, objectOf, objects, textAt } from "./members.ts";
import { numberOf } from "./scalars.ts";

/** The attributes of what has some. */
export function attributes(holder: Json, path: string, counter: Counter): Attributes {
  return pairs(holder, "attributes", path, 1, counter);
}

function pairs(holder: Json, name: string, path: string, level: number, counter: Counter): Map<string, Value> {
  const found = new Map<string, Value>();
  for (const [pair, at] of objects(holder, name, path)) {
    const key = textAt(pair, "key", at, counter);
    const value = anyValue(pair["value"], `${at}.value`, level, counter);
    if (value !== undefined) found.set(key, value);
  }
  return found;
}

/** An AnyValue; undefined when it is empty. */
export function anyValue(sent: unknown, path: string, level: number, counter: Counter): Value | undefined {
  if (sent === undefined || sent === null) return undefined;
  if (level > MAX_VALUE_LEVELS) {
    throw new AppError("input", `Values must be nested at most ${MAX_VALUE_LEVELS} levels deep`, { tag: "too_deep" });
  }
  const value = objectOf(sent, path);
  for (const name in value) {
    const inner = value[name];
    if (inner === undefined || inner === null) continue;
    if (name === "stringValue" || name === "bytesValue") return textAt(value, name, path, counter);
    if (name === "boolValue") return inner === true || inner === "true";
    if (name === "intValue" || name === "doubleValue") return numberOf(inner, `${path}.${name}`);
    if (name === "arrayValue") return items(objectOf(inner, path), `${path}.${name}`, level, counter);
    if (name === "kvlistValue") {
      return Object.fromEntries(pairs(objectOf(inner, path), "values", `${path}.${name}`, level + 1, counter));
    }
  }
  return undefined;
}

const items = (holder: Json, path: string, level: number, counter: Counter): Value[] =>
  arrayAt(holder, "values", path).map(
    (item, at) => anyValue(item, `${path}.values[${at}]`, level + 1, counter) ?? null,
  );
