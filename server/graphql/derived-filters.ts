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
import { getOwnProperty } from "../../formats/own.ts";
import { pluralTypeName, splitTypeName, typeNameWithArticle } from "./type-words.ts";

/** SDL for the filter of a type (`XFilter`), with one condition per comparable field. */
export function buildFilterSdl(type: ObjectTypeDefinitionNode, defined: ReadonlySet<string>): string {
  const name = type.name.value;
  const conditions = (type.fields ?? []).flatMap((field) => {
    const condition = conditionOn(field, defined);
    return condition ? [`${field.name.value}: ${condition}`] : [];
  });
  return `
  "Conditions on ${typeNameWithArticle(name)}."
  input ${name}Filter {
    ${conditions.join("\n    ")}
    and: [${name}Filter!]
    or: [${name}Filter!]
  }`;
}

/**
 * Returns the filter input of a field: a comparator, or the filter of a linked type. Returns undefined for lists of
 * values.
 */
function conditionOn({ type }: FieldDefinitionNode, defined: ReadonlySet<string>): string | undefined {
  const always = type.kind === Kind.NON_NULL_TYPE;
  const bare: TypeNode = always ? type.type : type;
  if (bare.kind !== Kind.NAMED_TYPE) return undefined;
  const name = bare.name.value;
  const filter = name.endsWith("Connection")
    ? name.replace(/Connection$/, "CollectionFilter")
    : `${always ? "" : "Nullable"}${name}Filter`;
  return (
    getOwnProperty(COMPARATORS, name)?.[always ? 0 : 1] ?? (defined.has(baseFilterName(filter)) ? filter : undefined)
  );
}

/** Returns the name of the filter from which a link filter is derived. */
export const baseFilterName = (filter: string): string =>
  filter.replace(/^Nullable(?=.*Filter$)/, "").replace(/CollectionFilter$/, "Filter");

/** Conditions that only link filters have, in addition to the conditions on a row. */
const OF_LINKS: Readonly<Record<"Nullable" | "Collection", (filter: string) => string>> = {
  Nullable: () => `"If true, the link must be null. If false, the link must not be null." null: Boolean`,
  Collection: (filter) => `
    "At least one linked entity matches the filter." some: ${filter}
    "Every linked entity matches the filter." every: ${filter}
    "Number of linked entities." length: NumberComparator`,
};

const describedBy = (value: string) => ({ description: { kind: Kind.STRING, value } }) as const;

const inputOf = (text: string): InputObjectTypeDefinitionNode =>
  parse(text, { noLocation: true }).definitions[0] as InputObjectTypeDefinitionNode;

/**
 * Returns the filter of a link: `NullableXFilter` for a link to an optional row, or `XCollectionFilter` for a link to
 * many rows.
 */
export function buildLinkFilterInput(name: string, base: InputObjectTypeDefinitionNode): InputObjectTypeDefinitionNode {
  const kind = name.startsWith("Nullable") ? "Nullable" : "Collection";
  const of = (type: TypeNode): TypeNode =>
    type.kind === Kind.NAMED_TYPE
      ? { ...type, name: { ...type.name, value: name } }
      : ({ ...type, type: of(type.type) } as TypeNode);
  const own = (field: InputValueDefinitionNode) =>
    /^(and|or)$/.test(field.name.value) ? { ...field, type: of(field.type) } : field;
  const more = inputOf(`input ${name} { ${OF_LINKS[kind](base.name.value)} }`);
  const fields = [...(base.fields ?? []).map(own), ...(more.fields ?? [])];
  const rows = pluralTypeName(name.replace(/CollectionFilter$/, ""));
  const description =
    kind === "Collection" ? describedBy(`Conditions on ${rows}; all given conditions must be true.`) : {};
  return { ...base, ...description, name: { ...base.name, value: name }, fields };
}

/** Names of the comparators of each scalar: the first for non-null values, the second for nullable values. */
const COMPARATORS: Readonly<Record<string, readonly [always: string, nullable: string]>> = {
  ID: ["IDComparator", "IDComparator"],
  String: ["StringComparator", "NullableStringComparator"],
  Int: ["NumberComparator", "NullableNumberComparator"],
  Float: ["NumberComparator", "NullableNumberComparator"],
  Boolean: ["BooleanComparator", "BooleanComparator"],
  DateTime: ["DateComparator", "NullableDateComparator"],
  TimelessDate: ["NullableTimelessDateComparator", "NullableTimelessDateComparator"],
};

/** Returns the comparator of an enum (`EnumComparator`) or of a nullable value (`NullableXComparator`). */
export function buildComparatorInput(name: string, all: ReadonlyMap<string, DefinitionNode>) {
  const of = name.replace(/Comparator$/, "");
  if (all.get(of)?.kind === Kind.ENUM_TYPE_DEFINITION) {
    return inputOf(`"Conditions on ${typeNameWithArticle(of)}; all given conditions must be true."
      input ${name} { eq: ${of} neq: ${of} in: [${of}!] nin: [${of}!] }`);
  }
  const base = all.get(name.replace(/^Nullable/, ""));
  if (base?.kind !== Kind.INPUT_OBJECT_TYPE_DEFINITION) return undefined;
  const text = base.description?.value.replace(";", " that may be absent;") ?? "";
  const more = inputOf(`input ${name} { null: Boolean }`);
  const fields = [...(base.fields ?? []), ...(more.fields ?? [])];
  return { ...base, ...describedBy(text), name: { ...base.name, value: name }, fields };
}

/** Returns the sort input of a value (`XSort`). */
export const buildSortInput = (name: string): InputObjectTypeDefinitionNode =>
  inputOf(`"Sort order by ${splitTypeName(name.replace(/Sort$/, ""))}."
    input ${name} { order: PaginationSortOrder nulls: PaginationNulls }`);
