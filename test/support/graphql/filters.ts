import fc from "fast-check";

/** Issue with the fields that the random filters compare. */
export interface SampleIssue {
  title: string;
  priority: number;
  estimate: number | null;
  assigned: boolean;
  labels: string[];
}

/** Creates sixteen issues that differ in every field that a filter can compare. */
export const createSampleIssues = (): SampleIssue[] =>
  Array.from({ length: 16 }, (_, at) => ({
    title: `${at % 2 === 0 ? "Issue" : "issue"} ${at}`,
    priority: at % 5,
    estimate: at % 3 === 0 ? null : at,
    assigned: at % 4 === 1,
    labels: ["red", "blue"].filter((_, bit) => (at >> bit) % 2 === 1),
  }));

/** Filter of issues, or a part of a filter. */
export type SampleFilter = { [name: string]: unknown };

const number = fc.integer({ min: -1, max: 16 });
const fraction = fc.oneof(number, fc.constantFrom(2.5, 1e300, -1e300));
const numeric = (extra: Record<string, fc.Arbitrary<unknown>> = {}) =>
  one({
    eq: fraction,
    neq: fraction,
    lt: fraction,
    lte: fraction,
    gt: fraction,
    gte: fraction,
    in: fc.array(fraction, { maxLength: 3 }),
    nin: fc.array(fraction, { maxLength: 3 }),
    ...extra,
  });
const word = fc.constantFrom("Issue 2", "issue 3", "ISSUE 4", "sue 1", "Iss", "5", "");
const text = one({
  eq: word,
  neq: word,
  in: fc.array(word, { maxLength: 3 }),
  nin: fc.array(word, { maxLength: 3 }),
  eqIgnoreCase: word,
  neqIgnoreCase: word,
  contains: word,
  notContains: word,
  containsIgnoreCase: word,
  notContainsIgnoreCase: word,
  startsWith: word,
  notStartsWith: word,
  startsWithIgnoreCase: word,
  endsWith: word,
  notEndsWith: word,
});
const label = one({ name: one({ eq: fc.constantFrom("red", "blue"), neq: fc.constantFrom("red", "blue") }) });

/** Random filters with every comparator, some, every, length, null, and, or. */
export const randomFilters: fc.Arbitrary<SampleFilter> = fc.letrec<{ filter: SampleFilter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    one({
      title: text,
      priority: numeric({ null: fc.boolean() }),
      estimate: numeric({ null: fc.boolean() }),
      assignee: one({ null: fc.boolean(), name: one({ contains: fc.constantFrom("Owner", "nobody") }) }),
      labels: one({ some: label, every: label, length: numeric(), name: one({ eq: fc.constantFrom("red", "blue") }) }),
    }),
    fc.record({ and: fc.array(tie("filter"), { maxLength: 2 }) }),
    fc.record({ or: fc.array(tie("filter"), { maxLength: 2 }) }),
  ),
})).filter;

/** Picks one or two of the members. */
function one(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<SampleFilter> {
  const single = Object.entries(members).map(([name, value]) => value.map((each) => ({ [name]: each })));
  return fc.tuple(fc.oneof(...single), fc.oneof(fc.constant({}), ...single)).map(([a, b]) => ({ ...a, ...b }));
}

/** True when an issue matches a filter. */
export function matchesFilter(filter: SampleFilter, issue: SampleIssue): boolean {
  return Object.entries(filter).every(([name, part]) => {
    if (name === "and") return (part as SampleFilter[]).every((each) => matchesFilter(each, issue));
    if (name === "or") return (part as SampleFilter[]).some((each) => matchesFilter(each, issue));
    const inner = part as SampleFilter;
    if (name === "assignee") return assigneeHolds(inner, issue);
    return name === "labels" ? labelsHold(inner, issue.labels) : compares(inner, issue[name as "title"]);
  });
}

const assigneeHolds = (filter: SampleFilter, { assigned }: SampleIssue): boolean =>
  (typeof filter["null"] !== "boolean" || filter["null"] !== assigned) &&
  (!filter["name"] || (assigned && compares(filter["name"] as SampleFilter, "Olive Owner")));

function labelsHold({ some, every, length, name }: SampleFilter, labels: string[]): boolean {
  const is = (filter: unknown) => (each: string) => compares((filter as SampleFilter)["name"] as SampleFilter, each);
  return (
    (!some || labels.some(is(some))) &&
    (!every || labels.every(is(every))) &&
    (!length || compares(length as SampleFilter, labels.length)) &&
    (!name || labels.some((each) => compares(name as SampleFilter, each)))
  );
}

const compares = (comparator: SampleFilter, value: string | number | null): boolean =>
  Object.entries(comparator).every(([name, operand]) => COMPARES[name]?.(value, operand));

/** Implementation of each comparator. */
const COMPARES: Record<string, (value: any, operand: any) => boolean> = {
  null: (value, operand) => (value === null) === operand,
  eq: (value, operand) => value === operand,
  neq: (value, operand) => value !== operand,
  in: (value, operand) => operand.includes(value),
  nin: (value, operand) => !operand.includes(value),
  lt: (value, operand) => value !== null && value < operand,
  lte: (value, operand) => value !== null && value <= operand,
  gt: (value, operand) => value !== null && value > operand,
  gte: (value, operand) => value !== null && value >= operand,
  eqIgnoreCase: (value, operand) => value.toLowerCase() === operand.toLowerCase(),
  neqIgnoreCase: (value, operand) => value.toLowerCase() !== operand.toLowerCase(),
  contains: (value, operand) => value.includes(operand),
  notContains: (value, operand) => !value.includes(operand),
  containsIgnoreCase: (value, operand) => value.toLowerCase().includes(operand.toLowerCase()),
  notContainsIgnoreCase: (value, operand) => !value.toLowerCase().includes(operand.toLowerCase()),
  startsWith: (value, operand) => value.startsWith(operand),
  notStartsWith: (value, operand) => !value.startsWith(operand),
  startsWithIgnoreCase: (value, operand) => value.toLowerCase().startsWith(operand.toLowerCase()),
  endsWith: (value, operand) => value.endsWith(operand),
  notEndsWith: (value, operand) => !value.endsWith(operand),
};
