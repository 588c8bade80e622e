import { type FieldDefinitionNode, Kind, type ObjectTypeDefinitionNode, type TypeNode } from "graphql";
import { wordsOf } from "./type-words.ts";

/** The SDL of conditions on a type (`XFilter`): one a field that can be compared. */
export function filterText(type: ObjectTypeDefinitionNode, defined: ReadonlySet<string>): string {
  const name = type.name.value;
  const conditions = (type.fields ?? []).flatMap((field) => {
    const condition = conditionOn(field, defined);
    return condition ? [`"On its ${wordsOf(field.name.value)}." ${field.name.value}: ${condition}`] : [];
  });
  return `
  "Conditions on a ${wordsOf(name)}."
  input ${name}Filter {
    ${conditions.join("\n    ")}
    "All of these hold."
    and: [${name}Filter!]
    "Any of these holds."
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
  return COMPARATORS[name]?.[always ? 0 : 1] ?? (defined.has(filter) ? filter : undefined);
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
