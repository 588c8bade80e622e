import { readFileSync } from "node:fs";
import { expect } from "chai";
import {
  buildASTSchema,
  buildClientSchema,
  executeSync,
  type GraphQLSchema,
  getIntrospectionQuery,
  isInputObjectType,
  isObjectType,
  isUnionType,
  parse,
  printSchema,
} from "graphql";
import { withDerivedTypes } from "../../../server/graphql/derived-types.ts";
import { withDescriptions } from "../../../server/graphql/descriptions.ts";
import { isConstant } from "../../../server/graphql/document/constant.ts";
import { combinedSchema, getIntrospectionSchema } from "../../../server/graphql/schema.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";

const QUERIES = {
  "the whole schema": getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    inputValueDeprecation: true,
  }),
  "one type, with aliases":
    '{ here: __type(name: "Issue") { __typename kind n: name fields { name type { ...t } } } } fragment t on __Type { name ofType { name } }',
  "no type of that name": '{ __type(name: "Nonsense") { name } }',
  "a type among other fields":
    '{ a: __typename __type(name: "PaginationOrderBy") { enumValues { name isDeprecated } } z: __typename }',
  "a type that only Linear's clients ask for": '{ __type(name: "ActorBot") { name fields { name } } }',
};

describe("introspection", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
  });

  /** Sends a request that names a schema in the URL. */
  async function ask(parameters: Record<string, string>, query: string) {
    const address = `${tenant.url}/graphql?${new URLSearchParams(parameters)}`;
    const headers = { Authorization: tenant.apiKey, "Content-Type": "application/json" };
    const response = await fetch(address, { method: "POST", headers, body: JSON.stringify({ query }) });
    return (await response.json()) as { data: any; errors?: { message: string; extensions: { field?: string } }[] };
  }

  const WAYS = [
    ["without a wish", {}, getIntrospectionSchema("native")],
    ["?schema=native", { schema: "native" }, getIntrospectionSchema("native")],
    ["?schema=linear", { schema: "linear" }, combinedSchema],
  ] as const;
  for (const [way, parameters, shown] of WAYS) {
    for (const [what, query] of Object.entries(QUERIES)) {
      it(`${way} returns exactly graphql-js's response for ${what}`, async () => {
        const expected = executeSync({ schema: shown, document: parse(query) });
        expect(JSON.stringify((await ask(parameters, query)).data)).to.equal(JSON.stringify(expected.data));
      });
    }
  }

  it("shows exactly the content of schema.graphql and what is derived from it", async () => {
    const { data } = await ask({}, getIntrospectionQuery());
    const sdl = parse(readFileSync("server/graphql/schema.graphql", "utf8"));
    const written = withDescriptions(withDerivedTypes(sdl));
    const file = buildASTSchema(written);
    expect(printSchema(buildClientSchema(data))).to.equal(printSchema(file));
  });

  it("uses ?schema= in a GET too", async () => {
    const query = '{ __type(name: "ActorBot") { name } }';
    const get = async (more: Record<string, string>) => {
      const address = `${tenant.url}/graphql?${new URLSearchParams({ query, ...more })}`;
      return (await fetch(address, { headers: { Authorization: tenant.apiKey } })).json();
    };
    expect(await get({})).to.deep.equal({ data: { __type: null } });
    expect(await get({ schema: "linear" })).to.deep.equal({ data: { __type: { name: "ActorBot" } } });
  });

  it("refuses an unknown schema by name", async () => {
    const { data, errors } = await ask({ schema: "github" }, "{ __typename }");
    expect(data).to.equal(undefined);
    expect(errors?.map(({ message, extensions }) => [message, extensions.field])).to.deep.equal([
      ["schema must be native or linear", "schema"],
    ]);
  });

  it("of either schema leaves documents unaffected: Linear's names always run", async () => {
    const query = "{ viewer { isAssignable avatarBackgroundColor } organization { releaseChannel } }";
    const answers = await Promise.all([{}, { schema: "linear" }].map((parameters) => ask(parameters, query)));
    const data = {
      viewer: { isAssignable: true, avatarBackgroundColor: "#bec2c8" },
      organization: { releaseChannel: "public" },
    };
    expect(answers).to.deep.equal([{ data }, { data }]);
  });
});

describe("the native schema", () => {
  const native = getIntrospectionSchema("native");

  it("leaves out only fields that are constant", () => {
    const real = namesOf(combinedSchema, (field) => !isConstant(field as never));
    expect(namesOf(native)).to.deep.equal(real);
  });

  it("has no unreachable type", () => {
    const reached = new Set([native.getQueryType(), native.getMutationType()].map(String));
    for (const name of reached) for (const next of leadsTo(native, name)) reached.add(next);
    const own = Object.keys(native.getTypeMap()).filter((name) => !name.startsWith("__"));
    // Introspection itself uses Boolean and String.
    expect(own.filter((name) => !reached.has(name))).to.deep.equal([]);
  });
});

/** Lists every field of the object types as `Type.field`. */
function namesOf(from: GraphQLSchema, wanted: (field: unknown) => boolean = () => true): string[] {
  const types = Object.values(from.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith("__"));
  return types
    .flatMap((type) =>
      (isObjectType(type) ? Object.values(type.getFields()) : [])
        .filter(wanted)
        .map((field) => `${type.name}.${field.name}`),
    )
    .sort();
}

/** Lists the types of a type's fields and arguments. */
function leadsTo(from: GraphQLSchema, name: string): string[] {
  const type = from.getType(name);
  const bare = (text: unknown) => String(text).replaceAll(/[[\]!]/g, "");
  if (isUnionType(type)) return type.getTypes().map(bare);
  if (!isObjectType(type) && !isInputObjectType(type)) return [];
  const fields: { type: unknown; args?: readonly { type: unknown }[] }[] = Object.values(type.getFields());
  return fields.flatMap(({ type, args = [] }) => [bare(type), ...args.map((argument) => bare(argument.type))]);
}
