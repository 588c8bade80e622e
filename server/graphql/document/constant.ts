import {
  type GraphQLField,
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from "graphql";
import { readOwn } from "../../../formats/own.ts";
import type { Selection } from "../../read/selection.ts";

/** The extension that holds the JSON text of a constant field; true = the empty value of its type. */
const MARK = "trackway.constant";

type Field = GraphQLField<unknown, unknown>;

/** Declares that a field is the same for everybody: this value, or else the empty value of its type. */
export function markConstant(field: Field, value: unknown): void {
  field.extensions = { ...field.extensions, [MARK]: value === undefined ? true : JSON.stringify(value) };
}

/** True for a field that is declared to be the same for everybody. */
export const isConstant = ({ extensions }: Field): boolean => MARK in extensions;

/** JSON text of a constant field. */
export function constantOf({ extensions, type }: Field, children: readonly Selection[]): string {
  const text = extensions[MARK];
  return typeof text === "string" ? text : emptyOf(type, children);
}

/** JSON text of the empty value of a scalar that may not be null. */
const EMPTY: Readonly<Record<string, string>> = {
  Boolean: "false",
  Int: "0",
  Float: "0",
  JSON: "{}",
  JSONObject: "{}",
};

/** JSON text of the empty value of a type: null where it may be, else an empty list, false, 0, "" or an object of such. */
function emptyOf(type: GraphQLOutputType, children: readonly Selection[]): string {
  if (!isNonNullType(type)) return "null";
  const { ofType } = type;
  if (isListType(ofType)) return "[]";
  if (isEnumType(ofType)) return JSON.stringify(ofType.getValues()[0]?.name);
  if (isScalarType(ofType)) return readOwn(EMPTY, ofType.name) ?? '""';
  if (!isObjectType(ofType)) throw new Error(`${ofType} has no empty value`);
  return `{${children.map(({ key, constant }) => `"${key}":${constant}`).join()}}`;
}
