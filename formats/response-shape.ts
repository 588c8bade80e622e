import { isObject } from "./json.ts";
import { getOwnProperty } from "./own.ts";

/**
 * Declared types of the API's fields, by type name and field name. In text form, each type is one line: `Type
 * field:type field:type`. Enums and scalars have no fields.
 */
export type ApiTypes = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Selected field: its name in the response, its name in the schema, and its subselection. */
interface Field {
  key: string;
  name: string;
  /** True if `@include` or `@skip` is present: the field may be absent from the response. */
  optional: boolean;
  below: Selection | undefined;
}

interface Selection {
  fields: Field[];
  spreads: { name: string; optional: boolean }[];
}

interface Parsed {
  root: "Query" | "Mutation";
  selection: Selection;
  fragments: Map<string, Selection>;
}

const TOKEN = /"""[\s\S]*?"""|"(?:\\.|[^"\\])*"|#[^\n]*|\.\.\.|[A-Za-z_]\w*|[{}()[\]:!$@=|]|-?\d[\d.eE+-]*/g;

/**
 * Parser for Trackway's own GraphQL documents. Supports only the syntax that those documents use: one operation,
 * fragments, aliases and directives.
 */
class Reader {
  readonly #tokens: string[];
  #at = 0;

  constructor(document: string) {
    this.#tokens = (document.match(TOKEN) ?? []).filter((token) => !token.startsWith("#"));
  }

  read(): Parsed {
    const parsed: Parsed = { root: "Query", selection: { fields: [], spreads: [] }, fragments: new Map() };
    while (this.#at < this.#tokens.length) {
      const kind = this.#peek();
      if (kind === "fragment") {
        this.#next();
        const name = this.#next();
        while (this.#peek() !== "{") this.#next();
        parsed.fragments.set(name, this.#selection());
        continue;
      }
      if (kind === "mutation") parsed.root = "Mutation";
      while (this.#peek() !== "{") {
        if (this.#peek() === "(") this.#skipParentheses();
        else this.#next();
      }
      parsed.selection = this.#selection();
    }
    return parsed;
  }

  #selection(): Selection {
    const selection: Selection = { fields: [], spreads: [] };
    this.#next();
    while (this.#peek() !== "}") {
      if (this.#peek() === "...") {
        this.#next();
        const name = this.#next();
        selection.spreads.push({ name, optional: this.#directives() });
      } else selection.fields.push(this.#field());
    }
    this.#next();
    return selection;
  }

  #field(): Field {
    const key = this.#next();
    let name = key;
    if (this.#peek() === ":") {
      this.#next();
      name = this.#next();
    }
    if (this.#peek() === "(") this.#skipParentheses();
    const optional = this.#directives();
    return { key, name, optional, below: this.#peek() === "{" ? this.#selection() : undefined };
  }

  /** Skips directives. Returns true if a directive is present. */
  #directives(): boolean {
    let found = false;
    while (this.#peek() === "@") {
      found = true;
      this.#next();
      this.#next();
      if (this.#peek() === "(") this.#skipParentheses();
    }
    return found;
  }

  #skipParentheses(): void {
    for (let depth = 0; this.#at < this.#tokens.length; ) {
      const token = this.#next();
      if (token === "(") depth += 1;
      if (token === ")") depth -= 1;
      if (depth === 0) return;
    }
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #next(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new SyntaxError("the document ends in the middle");
    this.#at += 1;
    return token;
  }
}

/** Parses the type lines that `ApiTypes` describes. */
export const parseApiTypes = (text: string): ApiTypes =>
  new Map(
    text
      .trim()
      .split("\n")
      .map((line) => {
        const [type = "", ...fields] = line.split(" ");
        return [type, new Map(fields.map((field) => field.split(":") as [string, string]))];
      }),
  );

/**
 * Checks that the response data matches the document: every selected field is present and has the type that the schema
 * declares.
 * @returns the path of the first mismatch; undefined if all data matches
 */
export function findSchemaMismatch(document: string, data: unknown, types: ApiTypes): string | undefined {
  const { root, selection, fragments } = new Reader(document).read();
  return misfitInObject(data, root, selection, { types, fragments, path: "data", optional: false });
}

interface Context {
  types: ApiTypes;
  fragments: ReadonlyMap<string, Selection>;
  path: string;
  /** True inside a fragment with `@include` or `@skip`. All fields of the fragment may then be absent. */
  optional: boolean;
}

function misfitInObject(value: unknown, type: string, selection: Selection, context: Context): string | undefined {
  if (!isObject(value)) return context.path;
  const known = context.types.get(type);
  for (const { key, name, optional, below } of selection.fields) {
    const member = getOwnProperty(value, key);
    const path = `${context.path}.${key}`;
    const declared = name === "__typename" ? "String!" : known?.get(name);
    if (((optional || context.optional) && member === undefined) || declared === undefined) continue;
    const misfit = misfitInValue(member, declared, below, { ...context, path, optional: false });
    if (misfit) return misfit;
  }
  for (const spread of selection.spreads) {
    const fragment = context.fragments.get(spread.name);
    const optional = context.optional || spread.optional;
    const misfit = fragment && misfitInObject(value, type, fragment, { ...context, optional });
    if (misfit) return misfit;
  }
  return undefined;
}

function misfitInValue(
  value: unknown,
  declared: string,
  below: Selection | undefined,
  context: Context,
): string | undefined {
  if (declared.endsWith("!"))
    return value === null ? context.path : misfitInValue(value, declared.slice(0, -1), below, context);
  if (value === null) return undefined;
  if (declared.startsWith("[")) {
    if (!Array.isArray(value)) return context.path;
    const inner = declared.slice(1, -1);
    return value
      .map((item, at) => misfitInValue(item, inner, below, { ...context, path: `${context.path}.${at}` }))
      .find((misfit) => misfit !== undefined);
  }
  if (below) return misfitInObject(value, declared, below, context);
  return isScalar(value, declared) ? undefined : context.path;
}

/** Returns true if the value fits a scalar or enum type. Unlisted types, such as dates and ids, are strings. */
function isScalar(value: unknown, type: string): boolean {
  if (type === "JSON") return value !== undefined;
  if (type === "JSONObject") return isObject(value);
  if (type === "Int" || type === "Float") return typeof value === "number";
  if (type === "Boolean") return typeof value === "boolean";
  return typeof value === "string";
}
