import {
  type GraphQLArgument,
  type GraphQLField,
  GraphQLID,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLString,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
} from "graphql";
import { readOwn } from "../../../formats/own.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { isIdentifier } from "../../id.ts";
import { isGiven } from "../../read/connection/page.ts";
import { MAX_LISTED } from "../../read/filter/limits.ts";
import { MARK } from "../../read/shape.ts";
import { rootValues } from "../../resources/index.ts";

/** Writes the shape of a value as JSON: what of it a statement's text may depend on. */
type Shaper = (value: unknown) => string;
type Values = Readonly<Record<string, unknown>>;

/** A field that takes arguments, with the function that writes their shape. */
interface ShapedArguments {
  shape(args: Values): string;
}

/**
 * The key of a plan: the shape of the arguments of each field that takes any. A statement's text may depend on this and
 * nothing else, since whatever writes SQL sees the arguments through `readShapes` of the key. `among` leaves out the
 * fields that do not belong to the statement.
 */
export function planKey(
  fields: readonly ShapedArguments[],
  args: readonly Values[],
  among?: ReadonlySet<number>,
): string {
  let text = "";
  for (let at = 0; at < fields.length; at += 1) {
    if (at > 0) text += ",";
    text += !among || among.has(at) ? fields[at]?.shape(args[at] ?? {}) : "0";
  }
  return `[${text}]`;
}

const ofFields = new Map<GraphQLField<unknown, unknown>, ShapedArguments["shape"]>();

/** The function that writes the shape of a field's arguments, made from the types of both. */
export function shaperOf(field: GraphQLField<unknown, unknown>): ShapedArguments["shape"] {
  const known = ofFields.get(field);
  if (known) return known;
  const members = new Map(field.args.map((argument) => [argument.name, ofArgument(field, argument)]));
  const shaper = (args: Values) => object(members, args, isGiven);
  ofFields.set(field, shaper);
  return shaper;
}

function ofArgument(field: GraphQLField<unknown, unknown>, argument: GraphQLArgument): Shaper {
  const bare = getNullableType(argument.type);
  // The limit of a page is a literal: as a parameter PostgreSQL plans the statement anew on each execution.
  if (bare === GraphQLInt && (hasPages(field) || readOwn(rootValues, field.name)?.literal === argument.name))
    return String;
  // An identifier is looked for by other SQL, which is prepared.
  if (readOwn(rootValues, field.name)?.identifiedBy === argument.name)
    return (value) => (isIdentifier(String(value)) ? MARK.identifier : MARK.value);
  // Fields name rows with texts as well as with ids.
  return bare === GraphQLString ? name : ofType(argument.type);
}

const hasPages = ({ type }: GraphQLField<unknown, unknown>): boolean => {
  const named = getNamedType(type);
  return isObjectType(named) && "pageInfo" in named.getFields();
};

const known = new Map<string, Shaper>();

function ofType(type: GraphQLInputType): Shaper {
  const bare = String(getNullableType(type));
  const shaper = known.get(bare) ?? newShaper(type);
  known.set(bare, shaper);
  return shaper;
}

function newShaper(type: GraphQLInputType): Shaper {
  const named = getNamedType(type);
  if (isListType(getNullableType(type))) return listOf(named);
  if (named.name === "Boolean") return String;
  if (isEnumType(named)) return (value) => `"${value}"`;
  if (named === GraphQLID || named.name === "UUID") return name;
  if (!isInputObjectType(named)) return () => MARK.value;
  let members: Map<string, Shaper> | undefined;
  return (value) => {
    // Filters are made of filters: the members are looked at once the type itself is known.
    members ??= new Map(Object.values(named.getFields()).map((field) => [field.name, ofType(field.type)]));
    return object(members, value as Values);
  };
}

/** A list of scalars is one parameter. UUIDs and other names are found by different SQL, so a list of ids shows each kind; of a list of objects each is a part of the SQL. */
function listOf(named: GraphQLInputType): Shaper {
  const each = ofType(named);
  if (isInputObjectType(named)) return (value) => `[${(value as unknown[]).map(each).join()}]`;
  // Each set of them has a plan: an enum has few.
  if (isEnumType(named)) return (value) => `[${[...new Set(value as string[])].sort().map(each).join()}]`;
  const shown = named === GraphQLID;
  return (value) => {
    const values = value as readonly unknown[];
    if (values.length > MAX_LISTED) return MARK.longList;
    return shown ? `[${values.map(each).join()}]` : MARK.list;
  };
}

/** The shape of the members that are there. A null inside an argument is part of the shape, because filters reject it. */
function object(members: ReadonlyMap<string, Shaper>, values: Values, isThere = isDefined): string {
  let text = "";
  for (const member in values) {
    const value = readOwn(values, member);
    if (!isThere(value)) continue;
    text += `${text && ","}"${member}":${value === null ? null : members.get(member)?.(value)}`;
  }
  return `{${text}}`;
}

const isDefined = (value: unknown): boolean => value !== undefined;

const name: Shaper = (value) => (isUuid(String(value)) ? MARK.uuid : MARK.value);
