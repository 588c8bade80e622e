import {
  type DefinitionNode,
  type FieldDefinitionNode,
  type InputObjectTypeDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  type TypeNode,
} from "graphql";
import { readOwn } from "../../formats/own.ts";
import { oneOf, pluralOf, wordsOf } from "./type-words.ts";

/** The SDL of conditions on a type (`XFilter`): one a field that can be compared. */
export function filterText(type: ObjectTypeDefinitionNode, defined: ReadonlySet<string>): string {
  const name = type.name.value;
  const conditions = (type.fields ?? []).flatMap((field) => {
    const condition = conditionOn(field, defined);
    return condition ? [`${field.name.value}: ${condition}`] : [];
  });
  return `
  "Conditions on ${oneOf(name)}."
  input ${name}Filter {
    ${conditions.join("\n    ")}
    and: [${name}Filter!]
    or: [${name}Filter!]
  }`;
}

/** The filter input of a field: a comparator, the filter of a linked type, or nothing for lists of values. */
function conditionOn({ type }: FieldDefinitionNode, defined: ReadonlySet<string>): string | undefined {
  const always = type.kind === Kind.NON_NULL_TYPE;
  const bare: TypeNode = always ? type.type : type;
  if (bare.kind !== Kind.NAMED_TYPE) return undefined;
  const name = bare.name.value;
  const filter = name.endsWith("Connection")
    ? name.replace(/Connection$/, "CollectionFilter")
    : `${always ? "" : "Nullable"}${name}Filter`;
  return readOwn(COMPARATORS, name)?.[always ? 0 : 1] ?? (defined.has(baseOf(filter)) ? filter : undefined);
}

/** The filter that one of a link to a row, or to several, is made of. */
export const baseOf = (filter: string): string =>
  filter.replace(/^Nullable(?=.*Filter$)/, "").replace(/CollectionFilter$/, "Filter");

/** The conditions that filters of links have beside those on a row. */
const OF_LINKS: Readonly<Record<"Nullable" | "Collection", (filter: string) => string>> = {
  Nullable: () => `"True: there is none. False: there is one." null: Boolean`,
  Collection: (filter) => `
    "At least one satisfies this." some: ${filter}
    "Each one satisfies this." every: ${filter}
    "How many there are." length: NumberComparator`,
};

const describedBy = (value: string) => ({ description: { kind: Kind.STRING, value } }) as const;

const inputOf = (text: string): InputObjectTypeDefinitionNode =>
  parse(text, { noLocation: true }).definitions[0] as InputObjectTypeDefinitionNode;

/** The filter of a link: to a row that may not be there (`NullableXFilter`), or to rows (`XCollectionFilter`). */
export function linkFilter(name: string, base: InputObjectTypeDefinitionNode): InputObjectTypeDefinitionNode {
  const kind = name.startsWith("Nullable") ? "Nullable" : "Collection";
  const of = (type: TypeNode): TypeNode =>
    type.kind === Kind.NAMED_TYPE
      ? { ...type, name: { ...type.name, value: name } }
      : ({ ...type, type: of(type.type) } as TypeNode);
  const own = (field: InputValueDefinitionNode) =>
    /^(and|or)$/.test(field.name.value) ? { ...field, type: of(field.type) } : field;
  const more = inputOf(`input ${name} { ${OF_LINKS[kind](base.name.value)} }`);
  const fields = [...(base.fields ?? []).map(own), ...(more.fields ?? [])];
  const rows = pluralOf(name.replace(/CollectionFilter$/, ""));
  const description = kind === "Collection" ? describedBy(`Conditions on ${rows}; all that are given hold.`) : {};
  return { ...base, ...description, name: { ...base.name, value: name }, fields };
}

/** The comparator of a scalar, where a value always stands and where it may be null. */
const COMPARATORS: Readonly<Record<string, readonly [always: string, nullable: string]>> = {
  ID: ["IDComparator", "IDComparator"],
  String: ["StringComparator", "NullableStringComparator"],
  Int: ["NumberComparator", "NullableNumberComparator"],
  Float: ["NumberComparator", "NullableNumberComparator"],
  Boolean: ["BooleanComparator", "BooleanComparator"],
  DateTime: ["DateComparator", "NullableDateComparator"],
  TimelessDate: ["NullableTimelessDateComparator", "NullableTimelessDateComparator"],
};

/** A comparator: of an enum (`EnumComparator`), or of a value that may be absent (`NullableXComparator`). */
export function comparator(name: string, all: ReadonlyMap<string, DefinitionNode>) {
  const of = name.replace(/Comparator$/, "");
  if (all.get(of)?.kind === Kind.ENUM_TYPE_DEFINITION) {
    return inputOf(`"Conditions on ${oneOf(of)}; all that are given hold."
      input ${name} { eq: ${of} neq: ${of} in: [${of}!] nin: [${of}!] }`);
  }
  const base = all.get(name.replace(/^Nullable/, ""));
  if (base?.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION) return undefined;
  const text = base.description?.value.replace(";", " that may be absent;") ?? "";
  const more = inputOf(`input ${name} { null: Boolean }`);
  const fields = [...(base.fields ?? []), ...(more.fields ?? [])];
  return { ...base, ...describedBy(text), name: { ...base.name, value: name }, fields };
}

/** How to sort by a value (`XSort`). */
export const sortInput = (name: string): InputObjectTypeDefinitionNode =>
  inputOf(`"How to sort by ${wordsOf(name.replace(/Sort$/, ""))}."
    input ${name} { order: PaginationSortOrder nulls: PaginationNulls }`);
