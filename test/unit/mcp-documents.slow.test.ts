import { expect } from "chai";
import { parse, validate } from "graphql";
import { DOCUMENTS } from "../../mcp/documents/index.ts";
import { shownSchema } from "../../server/graphql/schema.ts";

describe("the MCP server's GraphQL document", () => {
  const schema = shownSchema("native");

  for (const document of DOCUMENTS) {
    it(`${document.slice(0, document.search(/[({]/)).trim()} is valid against the schema`, () => {
      expect(validate(schema, parse(document)).map((error) => error.message)).to.deep.equal([]);
    });
  }
});
