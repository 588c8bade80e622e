import { readFileSync } from "node:fs";
import { expect } from "chai";
import { buildSchema, parse, validate } from "graphql";
import { DOCUMENTS } from "../mcp/documents/index.ts";

describe("A GraphQL document the MCP server sends,", () => {
  const schema = buildSchema(readFileSync(new URL("../server/graphql/schema.graphql", import.meta.url), "utf8"));

  for (const document of DOCUMENTS) {
    it(`${document.slice(0, document.search(/[({]/)).trim()}, is valid against the schema`, () => {
      expect(validate(schema, parse(document)).map((error) => error.message)).to.deep.equal([]);
    });
  }
});
