import {
  type GraphQLField,
  type GraphQLOutputType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
} from "graphql";
import { getOwnProperty } from "../../../formats/own.ts";
import type { Selection } from "../../read/selection.ts";

/**
 * Name of the schema extension that stores the JSON text of a constant field's value. The value `true` stands for the
 * empty value of the field's type.
 */
const MARK = "trackway.constant";

type Field = GraphQLField<unknown, unknown>;

/** Declares that a field has the same value for everybody: `value`, or the empty value of its type. */
export function markConstant(field: Field, value: unknown): void {
  field.extensions = { ...field.extensions, [MARK]: value === undefined ? true : JSON.stringify(value) };
}

export const isConstant = ({ extensions }: Field): boolean => MARK in extensions;

export function buildConstantFieldJson({ extensions, type }: Field, children: readonly Selection[]): string {
  const text = extensions[MARK];
  return typeof text === "string" ? text : emptyOf(type, children);
}

/** JSON text of the empty value of a non-null scalar. */
const EMPTY: Readonly<Record<string, string>> = {
  Boolean: "false",
  Int: "0",
  Float: "0",
  JSON: "{}",
  JSONObject: "{}",
};

/**
 * Returns the JSON text of a type's empty value: null if nullable; otherwise an empty list, false, 0, "", or an
 * object of empty values.
 */
function emptyOf(type: GraphQLOutputType, children: readonly Selection[]): string {
  if (!isNonNullType(type)) return "null";
  const { ofType } = type;
  if (isListType(ofType)) return "[]";
  if (isEnumType(ofType)) return JSON.stringify(ofType.getValues()[0]?.name);
  if (isScalarType(ofType)) return getOwnProperty(EMPTY, ofType.name) ?? '""';
  if (!isObjectType(ofType)) throw new Error(`${ofType} has no empty value`);
  return `{${children.map(({ key, constant }) => `"${key}":${constant}`).join()}}`;
}
