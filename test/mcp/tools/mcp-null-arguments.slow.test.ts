import { expect } from "chai";
import fc from "fast-check";
import { z } from "zod";
import { parseArguments } from "../../../mcp/arguments/parse.ts";
import { TOOLS } from "../../../mcp/registry/tools.ts";
import { connectSharedClient } from "../../support/mcp.ts";
import { createOrganization } from "../../support/server.ts";

/** Generates valid values for the schemas of the tools' arguments. */
function arbitrary(schema: z.ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return arbitrary(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodString) return fc.string({ minLength: 1, maxLength: 8 });
  if (schema instanceof z.ZodNumber) return fc.integer({ min: 1, max: 100 });
  if (schema instanceof z.ZodBoolean) return fc.boolean();
  if (schema instanceof z.ZodEnum) return fc.constantFrom(...schema.options);
  if (schema instanceof z.ZodArray)
    return fc.array(arbitrary(schema.element as z.ZodType), { minLength: 1, maxLength: 3 });
  if (schema instanceof z.ZodObject) return objects(schema, arbitrary);
  throw new Error(`the test knows no values for ${schema.constructor.name}`);
}

/** Generates objects with all required and some of the optional members of a schema. */
function objects(schema: z.ZodObject, of: (schema: z.ZodType) => fc.Arbitrary<unknown>) {
  const entries = Object.entries(schema.shape) as [string, z.ZodType][];
  const requiredKeys = entries.filter(([, member]) => !member.safeParse(undefined).success).map(([key]) => key);
  return fc.record(Object.fromEntries(entries.map(([key, member]) => [key, of(member)])), { requiredKeys });
}

/** Sets every missing optional member to null, at every depth. */
function withNulls(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return withNulls(schema.unwrap() as z.ZodType, value);
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item) => withNulls(schema.element as z.ZodType, item));
  if (!(schema instanceof z.ZodObject)) return value;
  const given = value as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(schema.shape).map(([key, member]) => [
      key,
      key in given ? withNulls(member as z.ZodType, given[key]) : null,
    ]),
  );
}

describe("MCP tool arguments that are null", () => {
  for (const tool of TOOLS.values()) {
    it(`mean the same as absent ones to ${tool.name}, at every depth`, () => {
      fc.assert(
        fc.property(arbitrary(tool.inputSchema), (args) => {
          expect(parseArguments(tool, withNulls(tool.inputSchema, args))).to.deep.equal(parseArguments(tool, args));
        }),
        { numRuns: 50 },
      );
    });

    it(`are an error of ${tool.name} when no such argument exists`, () => {
      fc.assert(
        fc.property(arbitrary(tool.inputSchema), (args) => {
          expect(() => parseArguments(tool, { ...(args as object), colour: null })).to.throw(
            'Unknown argument "colour"',
          );
        }),
        { numRuns: 20 },
      );
    });
  }

  it("are accepted in a call over HTTP, and a required one is reported as missing", async () => {
    const tenant = await createOrganization();
    await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
    const { call } = await connectSharedClient(tenant);
    const created = await call("create_issue", { team: "ENG", title: "One", state: null, labels: null, due: null });
    expect(created.data?.issue, created.text).to.include({ id: "ENG-1", title: "One" });
    expect((await call("get_team", { team: null })).text).to.equal("team is required. get_team takes: team.");
    expect((await call("update_issue", { issue: "ENG-1", state: null })).text).to.match(/^The call changes nothing/);
  });
});
