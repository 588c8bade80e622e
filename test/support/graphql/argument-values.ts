import {
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from "graphql";
import type { PickNumber } from "./generate-documents.ts";

const UUIDS = ["01980000-0000-7000-8000-000000000000", "01980000-0000-7000-8000-000000000ABC"];
const TEXTS = ["", "", "x", "ENG-1", "\0", "#", "createdAt", "01980000-0000-7000-8000", ...UUIDS];
const MOMENTS = ["2026-01-01T00:00:00.000Z", "1999-12-31T23:59:59.999Z"];

/** Sample values of each scalar, including values that builders of SQL could treat as special. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  Boolean: [true, false],
  Int: [1, 2, 7, 50, 250, 251],
  Float: [0, -1.5, 3, 1e300],
  String: TEXTS,
  ID: TEXTS,
  UUID: UUIDS,
  JSON: [true, false, 0, "", "x", [1], [[2]], { a: 1 }, { "a,b:s": { c: null } }, {}],
  JSONObject: [{}, { a: 1 }],
  IssueFilterJSON: [{}, { priority: { eq: 1 } }],
  DateTime: MOMENTS,
  DateTimeOrDuration: MOMENTS,
  TimelessDate: ["2026-01-01", "1999-12-31"],
  TimelessDateOrDuration: ["2026-01-01", "1999-12-31"],
  SyncCursor: [0, "0", 7],
};

/** Generates a value for an argument of a type; undefined omits the argument. */
export function generateValue(pick: PickNumber, type: GraphQLInputType, depth = 3): unknown {
  if (isNonNullType(type)) return present(pick, type.ofType, depth);
  const chance = pick(6);
  return chance === 0 ? undefined : chance === 1 ? null : present(pick, type, depth);
}

function present(pick: PickNumber, type: GraphQLInputType, depth: number): unknown {
  if (isNonNullType(type)) return present(pick, type.ofType, depth);
  if (isListType(type)) {
    const length = pick(40) === 0 ? 251 : pick(4);
    return Array.from({ length }, () => generateValue(pick, type.ofType, depth) ?? null);
  }
  if (isInputObjectType(type)) return objectOf(pick, type, depth);
  const values = isEnumType(type) ? type.getValues().map(({ name }) => name) : VALUES[type.name];
  if (!values) throw new Error(`no values for ${type}`);
  return values[pick(values.length)];
}

/** Generates an object with the required members and one or two optional members. */
function objectOf(pick: PickNumber, type: Extract<GraphQLInputType, { getFields(): unknown }>, depth: number): object {
  const fields = Object.values(type.getFields());
  const flat = fields.filter((field) => depth > 0 || !/Filter/.test(String(field.type)));
  const chosen = Array.from({ length: 1 + pick(2) }, () => flat[pick(flat.length)]);
  const members = fields.filter((field) => isRequiredInputField(field) || chosen.includes(field));
  return Object.fromEntries(
    members
      .map((field) => [field.name, generateValue(pick, field.type, depth - 1)])
      .filter(([, value]) => value !== undefined),
  );
}

/** Returns a copy of a value with one change; an unchanged value if nothing can change. */
export function changeValue(pick: PickNumber, type: GraphQLInputType, value: unknown): unknown {
  if (isNonNullType(type)) return changeValue(pick, type.ofType, value);
  if (pick(5) === 0) return present(pick, type, 3);
  if (isListType(type) && Array.isArray(value) && value.length > 0) {
    const chosen = pick(value.length);
    return value.map((each, at) => (at === chosen ? changeValue(pick, type.ofType, each) : each));
  }
  if (!isInputObjectType(type) || typeof value !== "object" || value === null) return present(pick, type, 3);
  const given = Object.entries(value).filter(([, each]) => each !== null);
  const [name, member] = given[pick(given.length)] ?? [];
  const field = name === undefined ? undefined : type.getFields()[name];
  return field && name ? { ...value, [name]: changeValue(pick, field.type, member) } : value;
}
