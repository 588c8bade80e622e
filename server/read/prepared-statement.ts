import { createHash } from "node:crypto";
import type { Statement } from "../../db/open.ts";
import { createCache, textBytes } from "../cache.ts";
import type { Build, Getter, Inputs, Model } from "./entity.ts";
import { GETTER_BYTES, newBuild } from "./row.ts";

/** Each is prepared on every connection that runs it, which takes memory here and in PostgreSQL. */
const MAX_NAMED = 200;
/** Characters of SQL that have names, together. PostgreSQL 15 keeps 135 to 150 bytes for each of them a connection. */
const MAX_TEXT = 256 * 1024;

/**
 * Gives statements the names under which connections prepare them, and undefined when enough have one. A name follows
 * from the text, so a statement that was dropped from a cache and written again has the same. No name is
 * ever freed: the connections keep what they have prepared.
 */
export function statementNames(prefix: string): (text: string) => string | undefined {
  const named = new Set<string>();
  let characters = 0;
  return (text) => {
    const name = `${prefix}-${createHash("sha1").update(text).digest("base64url")}`;
    if (named.has(name)) return name;
    if (named.size >= MAX_NAMED || characters + text.length > MAX_TEXT) return undefined;
    named.add(name);
    characters += text.length;
    return name;
  };
}

interface CompiledStatement {
  text: string;
  getters: readonly Getter[];
  reads: readonly string[];
  name: string | undefined;
}

const nameOf = statementNames("write");
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
  const fresh = { text, getters: build.getters, reads: [...build.reads], name: nameOf(text) };
  statements.set(shape, fresh);
  return statement(fresh, inputs);
}

const statement = ({ text, name, getters, reads }: CompiledStatement, inputs: Inputs): Statement => ({
  text,
  reads,
  writes: [],
  ...(name !== undefined && { name }),
  values: getters.map((get) => get(inputs)),
});
