import { createHash } from "node:crypto";
import type { Statement } from "../../db/open.ts";
import { createCache, textBytes } from "../cache.ts";
import type { Build, Getter, Inputs, Model } from "./entity.ts";
import { GETTER_BYTES, newBuild } from "./row.ts";

/**
 * The name under which connections prepare a statement. It follows from the text, so a statement that was dropped from a
 * cache and written again has the same.
 */
export const statementName = (prefix: string, text: string): string =>
  `${prefix}-${createHash("sha1").update(text).digest("base64url")}`;

interface CompiledStatement {
  text: string;
  getters: readonly Getter[];
  reads: readonly string[];
  name: string;
}

const statements = createCache<CompiledStatement>({
  name: "write-statements",
  sizeOf: ({ text, getters }) => textBytes(text) + GETTER_BYTES * getters.length,
});

/**
 * The statement of a shape, which only reads: its text is written at its first use and then prepared once a connection, its parameters
 * are taken from the inputs each time. `shape` must tell apart whatever makes the text differ.
 */
export function preparedStatement(
  model: Model,
  shape: string,
  inputs: Inputs,
  write: (build: Build) => string,
): Statement {
  const known = statements.get(shape);
  if (known) return statement(known, inputs);
  const build = newBuild(model, []);
  const text = write(build);
  const fresh = { text, getters: build.getters, reads: [...build.reads], name: statementName("write", text) };
  statements.set(shape, fresh);
  return statement(fresh, inputs);
}

const statement = ({ text, name, getters, reads }: CompiledStatement, inputs: Inputs): Statement => ({
  text,
  reads,
  writes: [],
  name,
  values: getters.map((get) => get(inputs)),
});

/** PostgreSQL takes no U+0000, and no stored text holds one: a text with the sign in its place is equal to none either. */
export const textWithoutNul = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text);

/** The same of a value that is bound; of a list, each item. */
export function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul);
  return typeof value === "string" ? textWithoutNul(value) : value;
}
