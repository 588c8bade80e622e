import { createHash } from "node:crypto";
import type { Statement } from "../../db/open.ts";
import { createCache, measureTextBytes } from "../cache.ts";
import type { EntityModel, ParameterGetter, StatementBuild, StatementInputs } from "./entity.ts";
import { createStatementBuild, GETTER_BYTES } from "./row.ts";

/**
 * Returns the name under which connections prepare a statement. The name depends only on the text, so a statement
 * that left a cache and is compiled again keeps its name.
 */
export const statementName = (prefix: string, text: string): string =>
  `${prefix}-${createHash("sha1").update(text).digest("base64url")}`;

interface CompiledStatement {
  text: string;
  getters: readonly ParameterGetter[];
  reads: readonly string[];
  name: string;
}

const statements = createCache<CompiledStatement>({
  name: "write-statements",
  sizeOf: ({ text, getters }) => measureTextBytes(text) + GETTER_BYTES * getters.length,
});

/**
 * Returns the read-only statement for a shape. The SQL text is written once per shape, and each connection prepares the
 * text once. The parameters are read from `inputs` at each call. Statements with different texts must have different
 * values of `shape`.
 */
export function preparedStatement(
  model: EntityModel,
  shape: string,
  inputs: StatementInputs,
  write: (build: StatementBuild) => string,
): Statement {
  const known = statements.get(shape);
  if (known) return statement(known, inputs);
  const build = createStatementBuild(model, []);
  const text = write(build);
  const fresh = { text, getters: build.getters, reads: [...build.reads], name: statementName("write", text) };
  statements.set(shape, fresh);
  return statement(fresh, inputs);
}

const statement = ({ text, name, getters, reads }: CompiledStatement, inputs: StatementInputs): Statement => ({
  text,
  reads,
  writes: [],
  name,
  values: getters.map((get) => get(inputs)),
});

/** Replaces U+0000, which PostgreSQL rejects. No stored text contains U+0000 or equals the replaced text. */
export const textWithoutNul = (text: string): string => (text.includes("\0") ? text.replaceAll("\0", "\uFFFD") : text);

/** Replaces U+0000 in a bound value, or in each item of a list. */
export function withoutNul(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNul);
  return typeof value === "string" ? textWithoutNul(value) : value;
}
