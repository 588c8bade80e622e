import { expect } from "chai";
import { TOOLS } from "../../../mcp/registry/tools.ts";
import { connectSharedClient } from "../../support/mcp.ts";
import { createOrganization } from "../../support/server.ts";

type Schema = Readonly<Record<string, any>>;

/**
 * Keywords of strict function calling: OpenAI's guide to structured outputs, "Supported schemas". Lengths of strings
 * and defaults are not among them.
 */
const OPENAI = new Set(
  `type description title enum anyOf properties required additionalProperties items $ref $defs const pattern format
  multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems`.split(/\s+/),
);
/** Keywords of Gemini's `parametersJsonSchema`: the description of `responseJsonSchema` in the types of @google/genai 2.32. */
const GEMINI = new Set(
  `$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum anyOf
  oneOf properties additionalProperties required propertyOrdering`.split(/\s+/),
);
/** Maximum number of properties and levels in strict function calling. */
const MOST = { properties: 5_000, depth: 10 };

/** Lists every schema in a schema with the path. */
function schemasIn(schema: Schema, path = "", depth = 1): { schema: Schema; path: string; depth: number }[] {
  const children = [
    ...Object.entries(schema["properties"] ?? {}),
    ...(schema["items"] ? [["items", schema["items"]] as const] : []),
    ...(schema["anyOf"] ?? []).map((each: Schema, at: number) => [`anyOf.${at}`, each]),
    ...(typeof schema["additionalProperties"] === "object" ? [["*", schema["additionalProperties"]]] : []),
  ] as [string, Schema][];
  return [
    { schema, path, depth },
    ...children.flatMap(([name, each]) => schemasIn(each, `${path}.${name}`, depth + 1)),
  ];
}

const foreign = (schema: Schema, known: ReadonlySet<string>): string[] =>
  schemasIn(schema).flatMap((each) =>
    Object.keys(each.schema).flatMap((keyword) => (known.has(keyword) ? [] : [`${each.path} ${keyword}`])),
  );

/** Converts a schema for strict mode as converters do: all members are required, and optional members may be null. */
function strict(schema: Schema): Schema {
  const { properties, items, required = [] } = schema;
  const members = Object.entries<Schema>(properties ?? {}).map(([name, each]) => {
    const made = strict(each);
    return [name, required.includes(name) ? made : { ...made, type: [made["type"], "null"] }] as const;
  });
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(members), required: Object.keys(properties) }),
    ...(items && { items: strict(items) }),
  };
}

describe("the schema of every MCP tool", () => {
  const schemas = [...TOOLS.values()].map(({ definition, name }) => ({
    name,
    input: definition["inputSchema"] as Schema,
    output: definition["outputSchema"] as Schema,
  }));

  const inputOf = (tool: string): any => schemas.find(({ name }) => name === tool)?.input;

  for (const { name, input, output } of schemas) {
    it(`of ${name} is valid in OpenAI's strict mode`, () => {
      const made = strict(input);
      expect(foreign(made, OPENAI)).to.deep.equal([]);
      const all = schemasIn(made);
      for (const { schema, path, depth } of all) {
        expect(depth, path).to.be.at.most(MOST.depth);
        expect(schema["type"], path).not.to.equal(undefined);
        if (!schema["properties"]) continue;
        expect(schema["additionalProperties"], path).to.equal(false);
        expect(schema["required"], path).to.deep.equal(Object.keys(schema["properties"]));
      }
      expect(all.length).to.be.at.most(MOST.properties);
    });

    it(`of ${name}, for input and output, is valid for Gemini`, () => {
      expect(foreign(input, GEMINI)).to.deep.equal([]);
      expect(foreign(output, GEMINI)).to.deep.equal([]);
    });
  }

  it("has no limit that is only the range of safe integers", () => {
    for (const { input, output } of schemas)
      for (const { schema, path } of [...schemasIn(input), ...schemasIn(output)])
        for (const bound of ["minimum", "maximum"]) expect(Math.abs(schema[bound] ?? 0), path).to.be.below(2 ** 53 - 1);
  });

  it("is refused by this test when it is invalid (control)", () => {
    const bad = { type: "object", properties: { a: { type: "array", items: { type: "string", maxLength: 1 } } } };
    expect(foreign(bad, GEMINI)).to.deep.equal([".a.items maxLength"]);
    expect(foreign({ type: "integer", default: 1 }, OPENAI)).to.deep.equal([" default"]);
  });

  it("leaves out limits and defaults, which still apply and are in the description", async () => {
    const tenant = await createOrganization();
    const { call } = await connectSharedClient(tenant);
    await call("list_teams");
    expect((await call("list_issues", { query: "" })).isError).to.equal(true);
    const { text, isError } = await call("create_issue", { team: "ENG", title: "x".repeat(513) });
    expect([isError, /^title: .*512/.test(text)]).to.deep.equal([true, true]);
    expect((await call("list_issues", {})).isError).to.equal(false);
    const { properties } = inputOf("list_issues");
    expect(properties.limit.description).to.match(/default 25/);
    expect(properties.sort.description).to.match(/default created/);
    expect(inputOf("create_issue").properties.title.description).to.match(/at most 512 characters/);
  });
});
