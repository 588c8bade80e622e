import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  parse,
} from "graphql";
import { isConstant } from "../../../server/graphql/document/constant.ts";
import { checkDocument } from "../../../server/graphql/document/limits.ts";
import { schema } from "../../../server/graphql/schema.ts";
import { fieldsOf } from "./documents.ts";

/** Chooses a number from 0 to below the one given: of any source of chance, such as fast-check's. */
export type Pick = (below: number) => number;

type Field = GraphQLField<unknown, unknown>;

/** A source of chance that a seed repeats (mulberry32). */
export function seeded(seed: number): Pick {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The traits of generated documents. */
export interface Manner {
  /** The depth of fields below the root field. */
  depth: number;
  /** Text of an argument of a field below the root, or nothing to leave it out. */
  argument(field: Field, argument: GraphQLArgument, document: Draft): string | undefined;
}

/** A document that is being written. */
export interface Draft {
  pick: Pick;
  /** Declares a variable that may be given; answers how it is referred to. */
  variable(type: GraphQLInputType | string): string;
}

/** A document with one root field, and the names and types of its variables. */
export interface Generated {
  query: string;
  variables: Readonly<Record<string, GraphQLInputType | string>>;
}

interface Writing extends Draft {
  manner: Manner;
  fragments: string[];
  names: number;
}

/** Longer ones are not likelier to find anything. */
const MAX_LENGTH = 2_500;

/** The root field of a document. */
export interface Root {
  kind: "query" | "mutation";
  field: Field;
  /** Its arguments as they stand in the document; generated like all others unless given. */
  args?: string;
}

/**
 * A valid document that asks one root field for anything: fields, `__typename` alone, aliases, fragments in place and by
 * name, @skip and @include, the same field twice.
 */
export function generateDocument(pick: Pick, root: Root, manner: Manner): Generated {
  const document = writeDocument(pick, root, manner);
  return isModest(document) ? document : generateDocument(pick, root, manner);
}

const isModest = ({ query }: Generated): boolean => query.length <= MAX_LENGTH && isWithinBounds(query);

/** True for a document within the bounds that every document has. */
export function isWithinBounds(query: string): boolean {
  try {
    checkDocument(parse(query));
    return true;
  } catch {
    return false;
  }
}

function writeDocument(pick: Pick, { kind, field, args }: Root, manner: Manner): Generated {
  const variables: Record<string, GraphQLInputType | string> = {};
  const writing: Writing = {
    pick,
    manner,
    fragments: [],
    names: 0,
    variable(type) {
      const name = `v${Object.keys(variables).length}`;
      variables[name] = type;
      return `$${name}`;
    },
  };
  const passed = args ?? argumentsOf(writing, field);
  const body = `${field.name}${passed && `(${passed})`}${below(writing, field, manner.depth)}`;
  const declared = Object.entries(variables).map(([name, each]) => `$${name}: ${each}`);
  const head = declared.length > 0 ? ` (${declared.join(", ")})` : "";
  return { query: [`${kind}${head} { ${body} }`, ...writing.fragments].join(" "), variables };
}

const argumentsOf = (writing: Writing, field: Field): string =>
  field.args
    .flatMap((argument) => {
      const text = writing.manner.argument(field, argument, writing);
      return text === undefined ? [] : [`${argument.name}: ${text}`];
    })
    .join(", ");

/** The selection of a field's value: nothing of a leaf, the leaves alone of a value that is always empty. */
function below(writing: Writing, field: Field, depth: number): string {
  const type = getNamedType(field.type);
  if (isInterfaceType(type)) return ` ${variantsOf(writing, schema.getPossibleTypes(type), depth)}`;
  return isObjectType(type) ? ` ${selectionOf(writing, type, isConstant(field) ? 0 : depth)}` : "";
}

/** A selection of an interface: what all have, and anything of one of its types; of two it might not go together. */
function variantsOf(writing: Writing, types: readonly GraphQLObjectType[], depth: number): string {
  const type = types[writing.pick(types.length)];
  const more = types.map(({ name }) => (writing.pick(3) ? "" : `... on ${name} { id }`)).join(" ");
  return `{ id __typename ${more} ${type ? `... on ${type.name} ${selectionOf(writing, type, depth)}` : ""} }`;
}

/** A selection of a type: between one and four things. */
function selectionOf(writing: Writing, type: GraphQLObjectType, depth: number): string {
  const members = Array.from({ length: 1 + writing.pick(4) }, () => memberOf(writing, type, depth));
  return `{ ${members.join(" ")} }`;
}

function memberOf(writing: Writing, type: GraphQLObjectType, depth: number): string {
  const { pick } = writing;
  switch (pick(12)) {
    case 0:
      return `${aliasOf(writing, 2)}__typename`;
    case 1:
      return `...${pick(2) ? ` on ${type.name}` : ""}${directiveOf(writing)} ${selectionOf(writing, type, depth)}`;
    case 2:
      return spreadOf(writing, type, depth);
    default:
      return fieldOf(writing, type, depth);
  }
}

function spreadOf(writing: Writing, type: GraphQLObjectType, depth: number): string {
  writing.names += 1;
  const name = `F${writing.names}`;
  writing.fragments.push(`fragment ${name} on ${type.name} ${selectionOf(writing, type, depth)}`);
  return `...${name}${directiveOf(writing)}`;
}

function fieldOf(writing: Writing, type: GraphQLObjectType, depth: number): string {
  const { pick } = writing;
  const offered = fieldsOf(type).filter((field) => depth > 0 || isLeafType(getNamedType(field.type)));
  // Fields that are always empty are many, and much alike.
  const told = pick(8) === 0 ? offered : offered.filter((field) => !isConstant(field));
  const field = told[pick(told.length)];
  const named = field && getNamedType(field.type);
  if (!field || (!isLeafType(named) && !isObjectType(named))) return "__typename";
  const args = argumentsOf(writing, field);
  // The same key may not stand for a field with other arguments.
  const alias = aliasOf(writing, args ? 1 : 4);
  return `${alias}${field.name}${args && `(${args})`}${directiveOf(writing)}${below(writing, field, depth - 1)}`;
}

/** One time in so many, an alias that stands nowhere else. */
function aliasOf(writing: Writing, times: number): string {
  if (writing.pick(times) > 0) return "";
  writing.names += 1;
  return `k${writing.names}: `;
}

/** Now and then a condition, given as it is or by a variable. */
function directiveOf(writing: Writing): string {
  const { pick } = writing;
  if (pick(10) > 0) return "";
  const value = pick(2) ? String(pick(2) === 0) : writing.variable("Boolean!");
  return ` @${pick(2) ? "skip" : "include"}(if: ${value})`;
}
