import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from "graphql";
import { isConstant } from "../../../server/graphql/document/constant.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { HARD_WORDS } from "../hostile/hostile-tenant.ts";
import { findNodeType, listFields } from "./documents.ts";

type Field = GraphQLField<unknown, unknown>;

/** Document that causes much work and selects little. */
export interface ExpensiveDocument {
  root: string;
  query: string;
}

const [WORD = ""] = HARD_WORDS;
const DAY = 86_400_000;
const MOST_DAYS = 92;

/** Argument values that cause the most work of a field. `places` contains ids by the name of a root field. */
const argumentText = (
  field: Field,
  argument: GraphQLArgument,
  first: number,
  places: Readonly<Record<string, string>>,
): string | undefined => {
  const { name } = argument;
  const days = /31 days/.test(field.description ?? "") ? 31 : MOST_DAYS;
  const values: Record<string, unknown> = {
    id: places[field.name],
    ids: [places["issue"]],
    sessionId: places["recordedSession"],
    name: "Bash",
    term: field.name === "recordedSearch" ? WORD : HARD_WORDS.join(" "),
    title: HARD_WORDS.join(" "),
    text: WORD,
    from: new Date(Date.now() - (days - 1) * DAY).toISOString(),
    to: new Date(Date.now() + DAY / 2).toISOString(),
    most: 100_000,
    buckets: 200,
    includeArchived: true,
    includeComments: true,
    includeDisabled: true,
    first: isConnection(field) ? first : undefined,
  };
  const value = values[name];
  if (value === undefined && isRequiredArgument(argument))
    return `${name}: ${JSON.stringify("01980000-0000-7000-8000-000000000000")}`;
  return value === undefined ? undefined : `${name}: ${JSON.stringify(value)}`;
};

/**
 * Generates documents for every root field of Query: with each filter alone, with each member of the rows alone, and
 * with many aliases of the field.
 */
export function generateExpensiveDocuments(places: Readonly<Record<string, string>>): ExpensiveDocument[] {
  return listFields(combinedSchema.getQueryType())
    .filter((field) => !isConstant(field) && field.name !== "rateLimitStatus")
    .flatMap((field) => documentsOf(field, places));
}

function documentsOf(field: Field, places: Readonly<Record<string, string>>): ExpensiveDocument[] {
  const of = (selection: string, first = 1, filter?: string): string => {
    const args = field.args.flatMap((each) => argumentText(field, each, first, places) ?? []);
    const all = filter ? [...args, `filter: ${filter}`] : args;
    return `${field.name}${all.length > 0 ? `(${all.join(", ")})` : ""} { ${selection} }`;
  };
  const least = leastOf(field);
  const texts = [of(least)];
  const filter = field.args.find(({ name }) => name === "filter");
  const levels = field.args.some(({ name }) => name === "term" || name === "title") ? 0 : 1;
  if (filter)
    texts.push(
      ...filtersOf(getNamedType(filter.type) as GraphQLInputObjectType, levels).map((each) => of(least, 1, each)),
    );
  texts.push(...membersOf(field).map((each) => of(each, 50)));
  if (field.args.some(({ name }) => ["term", "text", "from"].includes(name)))
    texts.push(Array.from({ length: 20 }, (_, n) => `a${n}: ${of(least)}`).join(" "));
  return [...new Set(texts)].map((each) => ({ root: field.name, query: `{ ${each} }` }));
}

const isConnection = (field: Field): boolean => {
  const named = getNamedType(field.type);
  return isObjectType(named) && "pageInfo" in named.getFields();
};

/** Returns the smallest valid selection. */
function leastOf(field: Field): string {
  const named = getNamedType(field.type);
  if (isInterfaceType(named)) return "id";
  const { totalCount } = (named as GraphQLObjectType).getFields();
  if (totalCount) return "totalCount";
  const leaf = leavesOf(findNodeType(field))[0] ?? "__typename";
  return isConnection(field) ? `nodes { ${leaf} }` : leaf;
}

const leavesOf = (type: GraphQLObjectType): string[] =>
  listFields(type)
    .filter((each) => isLeafType(getNamedType(each.type)) && !isConstant(each) && !each.args.some(isRequiredArgument))
    .map(({ name }) => name);

/** Returns the scalar fields of a field's rows, and the scalar fields of each linked row. */
function membersOf(field: Field): string[] {
  if (isInterfaceType(getNamedType(field.type))) return [];
  const within = isConnection(field) ? (text: string) => `nodes { ${text} }` : (text: string) => text;
  const type = findNodeType(field);
  const links = listFields(type).filter(
    (each) => !isConstant(each) && !each.args.some(isRequiredArgument) && !isLeafType(getNamedType(each.type)),
  );
  return [leavesOf(type).join(" "), ...links.map(linkText)].filter(Boolean).map(within);
}

function linkText(field: Field): string {
  const inner = leavesOf(findNodeType(field)).join(" ");
  return isConnection(field)
    ? `${field.name}(first: 50) { nodes { ${inner} } }`
    : `${field.name} { ${inner || "__typename"} }`;
}

const NOBODY = JSON.stringify("01980000-0000-7000-8000-000000000000");
/** Comparisons that match no row, so that the database examines every row. */
const NOTHING: Readonly<Record<string, string>> = {
  String: `{ containsIgnoreCase: "${WORD}" }`,
  ID: `{ eq: ${NOBODY} }`,
  Number: "{ eq: -7 }",
  Boolean: "{ eq: false }",
  Date: '{ gt: "2100-01-01" }',
};

/** Generates filters of one comparison each. */
function filtersOf(type: GraphQLInputObjectType, levels: number): string[] {
  const members = type.getFields();
  if ("key" in members && "exists" in members)
    return ['{ key: "note", contains: "aaab0" }']
      .filter(() => "contains" in members)
      .concat('{ key: "note", eq: "aaab0" }');
  if (type.name.endsWith("Comparator")) {
    const kind = Object.keys(NOTHING).find((name) => type.name.replace("Nullable", "").startsWith(name));
    return kind ? [NOTHING[kind] ?? ""] : [];
  }
  return Object.values(members).flatMap(({ name, type: given }): string[] => {
    const inner = getNamedType(given);
    if (!isInputObjectType(inner)) return String(given).startsWith("String") ? [`{ ${name}: "${WORD}" }`] : [];
    const comparator: boolean = inner.name.endsWith("Comparator") || "exists" in inner.getFields();
    if (["and", "or"].includes(name) || (levels === 0 && !comparator)) return [];
    const inside = filtersOf(inner, levels - (comparator ? 0 : 1)).map((each) => `{ ${name}: ${each} }`);
    // The linked type has a root field of its own, so only the link is measured here.
    return comparator ? inside : inside.slice(0, 1);
  });
}
