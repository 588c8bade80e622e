import { expect } from "chai";
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredInputField,
} from "graphql";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { listFields, selectMatches, writeRequiredArguments } from "../../support/graphql/documents.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";

type Part = Record<string, unknown>;

/** A value for each scalar that a comparator takes. */
const VALUES: Record<string, unknown> = {
  String: "x",
  JSON: "x",
  ID: "x",
  Boolean: true,
  Float: 1.5,
  Int: 1,
  DateTimeOrDuration: "-P1D",
  TimelessDateOrDuration: "2026-01-01",
  DateTime: "2026-01-01T00:00:00.000Z",
  UUID: "01980000-0000-7000-8000-000000000000",
};

const MOST = 50;
/**
 * Maximum number of comparisons of sessions: more comparisons of names and texts exceed the cost limit of a request.
 */
const MOST_OF_SESSIONS = 10;

describe("filters and sorts of the schema", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
  });

  for (const field of listFields(combinedSchema.getQueryType())) {
    const { name, args } = field;
    const filter = args.find((each) => each.name === "filter");
    if (filter && !["searchIssues", "similarIssues"].includes(name)) {
      it(`include ${name}, which runs without an error`, async () => {
        const type = getNamedType(filter.type) as GraphQLInputObjectType;
        const shown = args.some((each) => each.name === "term")
          ? 'term: "x") { nodes { __typename } }'
          : `${writeRequiredArguments(field)}) { ${selectMatches(field)} }`;
        const query = `query ($filter: ${type}) { ${name}(filter: $filter, ${shown} }`;
        const parts = filtersOf(type, 2);
        for (const each of "or" in type.getFields()
          ? chunks(parts, type.name === "RecordedSessionFilter" ? MOST_OF_SESSIONS : MOST).map((or) => ({ or }))
          : parts) {
          expect((await tenant.graphql(query, { filter: each })).errors?.[0]?.message).to.equal(undefined);
        }
      });
    }
  }

  it("sort issues by each field, in both directions, with and without values", async () => {
    const type = combinedSchema.getType("IssueSortInput") as GraphQLInputObjectType;
    for (const field of Object.keys(type.getFields())) {
      for (const step of [{ order: "Ascending", nulls: "first" }, { order: "Descending" }]) {
        const query =
          "query ($sort: [IssueSortInput!]) { issues(sort: $sort) { nodes { id } pageInfo { endCursor } } }";
        expect((await tenant.graphql(query, { sort: [{ [field]: step }] })).errors).to.equal(undefined);
      }
    }
  });
});

/** Builds filters with one comparison each, for every path through links up to a number of levels. */
function filtersOf(type: GraphQLInputObjectType, levels: number): Part[] {
  const fields = Object.values(type.getFields());
  const required = Object.fromEntries(
    fields.filter(isRequiredInputField).map((field) => [field.name, sampleOf(field.type)]),
  );
  return fields.flatMap((field) => {
    const named = getNamedType(field.type);
    if (isRequiredInputField(field)) return [];
    if (!isInputObjectType(named)) return [{ ...required, [field.name]: sampleOf(field.type) }];
    if (levels === 0 || ["and", "or"].includes(field.name)) return [];
    return filtersOf(named, levels - 1).map((part) => ({ [field.name]: part }));
  });
}

function sampleOf(type: GraphQLInputType): unknown {
  const named = getNamedType(type);
  const value = isEnumType(named) ? named.getValues()[0]?.name : VALUES[named.name];
  if (value === undefined) throw new Error(`no value for ${named}`);
  return isListType(getNullableType(type)) ? [value, value] : value;
}

const chunks = (parts: Part[], most: number): Part[][] =>
  parts.length === 0 ? [] : [parts.slice(0, most), ...chunks(parts.slice(most), most)];
