import { expect } from "chai";
import fc from "fast-check";
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from "graphql";
import { combinedSchema } from "../../server/graphql/schema.ts";
import { generateValue } from "../support/graphql/argument-values.ts";
import { listFields, selectMatches, writeRequiredArguments } from "../support/graphql/documents.ts";
import { createSeededPick } from "../support/graphql/generate-documents.ts";
import { createOrganizationOfSize } from "../support/graphql/sizes.ts";
import { scaleRuns } from "../support/run/runs.ts";
import type { Tenant } from "../support/server.ts";

type Part = Readonly<Record<string, unknown>>;

/** Wraps every filter that can be combined into an `and` or `or` with a single member, which has the same meaning. */
function wrapped(type: GraphQLInputType, value: unknown, word: "and" | "or"): unknown {
  const bare = getNullableType(type);
  if (Array.isArray(value) && isListType(bare)) return value.map((each) => wrapped(bare.ofType, each, word));
  const named = getNamedType(bare);
  if (!isInputObjectType(named) || typeof value !== "object" || value === null) return value;
  const fields = named.getFields();
  const members = Object.entries(value as Part).map(([name, each]) => {
    const field = fields[name];
    return [name, field ? wrapped(field.type, each, word) : each] as const;
  });
  const inside = Object.fromEntries(members);
  return word in fields && !("and" in inside || "or" in inside) ? { [word]: [inside] } : inside;
}

/** Errors of a filter for reasons other than the cost or an unordered JSON value. */
const BOUNDS =
  /may hold|takes at most|nest filters at most|must not be null|is 1 to|compares long texts|key|out of range/;

/** Search terms that match something. */
const TERMS: Readonly<Record<string, string>> = { recordedSearch: "noon" };

/** Returns the key of a list's entries: hits of a search of events have the id of the event. */
function keyOf(list: unknown): string {
  const node = listFields(list as GraphQLObjectType).find(({ name }) => name === "nodes");
  if (!node) return "";
  const names = listFields(getNamedType(node.type) as GraphQLObjectType).map(({ name }) => name);
  return names.includes("id") ? "id" : "eventId";
}

describe("the filter of every list", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganizationOfSize(3);
  });

  const lists = listFields(combinedSchema.getQueryType()).filter(({ args }) =>
    args.some(({ name }) => name === "filter"),
  );
  for (const field of lists) {
    const { name, args, type: returned } = field;
    const { type } = args.find((each) => each.name === "filter") as { type: GraphQLInputObjectType };
    const needed = args.some((each) => each.name === "term")
      ? `term: "${TERMS[name] ?? "more"}", `
      : writeRequiredArguments(field).map((argument) => `${argument}, `);
    const shown = selectMatches(field, keyOf(getNamedType(returned)));
    const ask = (filters: Part) => {
      const names = Object.keys(filters);
      const fields = names.map((each) => `${each}: ${name}(${needed}filter: $${each}) { ${shown} }`).join(" ");
      return tenant.graphql(`query (${names.map((each) => `$${each}: ${type}`)}) { ${fields} }`, filters);
    };

    it(`of ${name} is accepted as in the schema, and means the same inside and / or`, async () => {
      const check = async (seed: number) => {
        const filter = generateValue(createSeededPick(seed), type, 3) as Part | undefined;
        if (!filter) return;
        const told = `${name} ${JSON.stringify(filter)}`;
        const others = { and: wrapped(type, filter, "and"), or: wrapped(type, filter, "or") };
        const all = await ask({ plain: filter, ...others });
        if (!all.errors) {
          const { plain } = all.data;
          expect(all.data, told).to.deep.equal({ plain, and: plain, or: plain });
          return;
        }
        // One filter, or all three together, may be refused. A separate request shows which.
        const { data, errors: [refused] = [] } = await ask({ plain: filter });
        if (refused && BOUNDS.test(refused.message)) return;
        expect(refused?.message, told).to.equal(undefined);
        for (const [word, inside] of Object.entries(others)) {
          const other = await ask({ plain: inside });
          if (other.errors && BOUNDS.test(other.errors[0]?.message ?? "")) continue;
          expect(other.errors, `${told} in ${word}`).to.equal(undefined);
          expect(other.data, `${told} in ${word}`).to.deep.equal(data);
        }
      };
      await fc.assert(fc.asyncProperty(fc.nat(), check), { numRuns: scaleRuns(100), endOnFailure: true });
    });
  }

  it("can require a link or its absence at every level", async () => {
    const count = async (filter: string) =>
      (await tenant.gql(`{ issues(filter: ${filter}) { nodes { id } } }`)).issues.nodes.length;
    const all = await count("{}");
    const withParent = await count("{ parent: { null: false } }");
    expect(withParent).to.be.within(1, all - 1);
    expect(await count("{ parent: { and: [{ null: true }] } }")).to.equal(all - withParent);
    expect(await count('{ parent: { or: [{ null: true }, { title: { contains: "s" } }] } }')).to.equal(all);
    expect(await count("{ parent: { and: [{ null: false }, { or: [{ null: true }] }] } }")).to.equal(0);
    expect(await count("{ assignee: { and: [{ null: true }] } }")).to.equal(0);
    expect(await count("{ cycle: { null: false, or: [{ null: true }] } }")).to.equal(0);
  });
});
