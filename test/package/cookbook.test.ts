import { readFileSync } from "node:fs";
import { expect } from "chai";
import { createOrganization, sendGraphQL } from "../support/server.ts";

/** The recipes of the page, each a document with the variables below. */
const recipes = [
  ...readFileSync("docs/cookbook.md", "utf8").matchAll(/```graphql\n([\s\S]*?)```(?:\s*```json\n([\s\S]*?)```)?/g),
].map(([, query = "", variables]) => ({ query, variables: variables ? JSON.parse(variables) : undefined }));

describe("the GraphQL cookbook", () => {
  it("has recipes that all work in order, in an organization with the team ENG", async () => {
    const { url, apiKey, gql } = await createOrganization();
    await gql(`mutation { teamCreate(input: { name: "Engineering", key: "ENG" }) { success } }`);
    expect(recipes.length).to.be.greaterThan(10);
    for (const { query, variables } of recipes) {
      const { errors, data } = await sendGraphQL(url, apiKey, { query, variables });
      expect(errors, query).to.equal(undefined);
      expect(Object.values(data), query).to.not.include(null);
    }
    const { issue } = await gql(`{ issue(id: "ENG-1") { state { type } } }`);
    expect(issue.state.type).to.equal("completed");
  });
});
