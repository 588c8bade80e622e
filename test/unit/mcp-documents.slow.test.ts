import { expect } from "chai";
import { parse, validate } from "graphql";
import { ALL_GRAPHQL_DOCUMENTS } from "../../mcp/documents/index.ts";
import { getIntrospectionSchema } from "../../server/graphql/schema.ts";

describe("the MCP server's GraphQL document", () => {
  const schema = getIntrospectionSchema("native");

  for (const document of ALL_GRAPHQL_DOCUMENTS) {
    it(`${document.slice(0, document.search(/[({]/)).trim()} is valid against the schema`, () => {
      expect(validate(schema, parse(document)).map((error) => error.message)).to.deep.equal([]);
    });
  }
});
