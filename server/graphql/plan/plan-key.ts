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
import { getOwnProperty } from "../../../formats/own.ts";
import { isUuid } from "../../../formats/uuid.ts";
import { isIssueIdentifier } from "../../id.ts";
import { isGiven } from "../../read/connection/page.ts";
import { MAX_LIST_VALUES } from "../../read/filter/limits.ts";
import { PLAN_KEY_MARKS } from "../../read/shape.ts";
import { rootValues } from "../../resources/index.ts";

/** Returns the shape of a value as JSON text. The shape is the part of the value on which the SQL may depend. */
type Shaper = (value: unknown) => string;
type Values = Readonly<Record<string, unknown>>;

/** The arguments of a field, with the function that returns their shape. */
interface ShapedArguments {
  shape(args: Values): string;
}

/**
 * Returns the plan key, which consists of the shapes of all fields' arguments. The SQL text can depend only on the key,
 * because code that writes SQL reads arguments only through `parsePlanKey`. If `among` is given, fields whose index is
 * not in `among` do not belong to the statement and are left out.
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

/** Returns the function that writes the shape of a field's arguments, derived from the argument types. */
export function getShapeWriter(field: GraphQLField<unknown, unknown>): ShapedArguments["shape"] {
  const known = ofFields.get(field);
  if (known) return known;
  const members = new Map(field.args.map((argument) => [argument.name, ofArgument(field, argument)]));
  const shaper = (args: Values) => object(members, args, isGiven);
  ofFields.set(field, shaper);
  return shaper;
}

function ofArgument(field: GraphQLField<unknown, unknown>, argument: GraphQLArgument): Shaper {
  const bare = getNullableType(argument.type);
  // A limit, such as the page size, is a literal in the SQL. As a parameter, the limit would make PostgreSQL plan the
  // statement again on each execution.
  if (bare === GraphQLInt && (hasPages(field) || getOwnProperty(rootValues, field.name)?.literal === argument.name))
    return String;
  // The shape shows whether the value is an identifier, because different SQL, with its own prepared statement, finds
  // rows by an identifier.
  if (getOwnProperty(rootValues, field.name)?.identifiedBy === argument.name)
    return (value) => (isIssueIdentifier(String(value)) ? PLAN_KEY_MARKS.identifier : PLAN_KEY_MARKS.value);
  // The shape of a string shows whether the string is an id, because fields find rows by ids and by other texts.
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
  if (!isInputObjectType(named)) return () => PLAN_KEY_MARKS.value;
  let members: Map<string, Shaper> | undefined;
  return (value) => {
    // Filter types are recursive, so the members are read only after the type itself is known.
    members ??= new Map(Object.values(named.getFields()).map((field) => [field.name, ofType(field.type)]));
    return object(members, value as Values);
  };
}

/**
 * Returns the shaper of a list. A list of scalars is one parameter. The shape of a list of ids contains the kind of
 * each id, because different SQL finds rows by UUIDs and by other names. The shape of a list of objects contains every
 * object, because each object is part of the SQL.
 */
function listOf(named: GraphQLInputType): Shaper {
  const each = ofType(named);
  if (isInputObjectType(named)) return (value) => `[${(value as unknown[]).map(each).join()}]`;
  // The values of an enum are part of the key, so each combination gets its own query plan. Enums have few values.
  if (isEnumType(named)) return (value) => `[${[...new Set(value as string[])].sort().map(each).join()}]`;
  const shown = named === GraphQLID;
  return (value) => {
    const values = value as readonly unknown[];
    if (values.length > MAX_LIST_VALUES) return PLAN_KEY_MARKS.longList;
    return shown ? `[${values.map(each).join()}]` : PLAN_KEY_MARKS.list;
  };
}

/**
 * Returns the shape of the fields that are present in an object. A null inside an argument is part of the shape,
 * because filters reject a null.
 */
function object(members: ReadonlyMap<string, Shaper>, values: Values, isThere = isDefined): string {
  let text = "";
  for (const member in values) {
    const value = getOwnProperty(values, member);
    if (!isThere(value)) continue;
    text += `${text && ","}"${member}":${value === null ? null : members.get(member)?.(value)}`;
  }
  return `{${text}}`;
}

const isDefined = (value: unknown): boolean => value !== undefined;

const name: Shaper = (value) => (isUuid(String(value)) ? PLAN_KEY_MARKS.uuid : PLAN_KEY_MARKS.value);
