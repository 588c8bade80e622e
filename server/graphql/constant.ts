import {
  type GraphQLField,
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from "graphql";
import type { Selection } from "../core/selection.ts";

/** What `schema.ts` marks the fields of always-empty.graphql with. */
const MARK = "trackway.constant";

/** Declares that a field is always empty. */
export const markConstant = (field: GraphQLField<unknown, unknown>): void => {
  field.extensions = { ...field.extensions, [MARK]: true };
};

/** Whether a field is declared always to be empty. */
export const isConstant = (field: GraphQLField<unknown, unknown>): boolean => field.extensions[MARK] === true;

/** JSON text of the empty value of a scalar that may not be null. */
const EMPTY: Readonly<Record<string, string>> = {
  Boolean: "false",
  Int: "0",
  Float: "0",
  JSON: "{}",
  JSONObject: "{}",
  DateTime: '"1970-01-01T00:00:00.000Z"',
};

/** JSON text of the empty value of a type: null where it may be, else an empty list, false, 0, "" or an object of such. */
export function emptyOf(type: GraphQLOutputType, children: readonly Selection[]): string {
  if (!isNonNullType(type)) return "null";
  const { ofType } = type;
  if (isListType(ofType)) return "[]";
  if (isEnumType(ofType)) return JSON.stringify(ofType.getValues()[0]?.name);
  if (isScalarType(ofType)) return EMPTY[ofType.name] ?? '""';
  if (!isObjectType(ofType)) throw new Error(`${ofType} has no empty value`);
  return `{${children.map(({ key, constant }) => `"${key}":${constant}`).join()}}`;
}
