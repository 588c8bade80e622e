import { expect } from "chai";
import { executeSync, getIntrospectionQuery, parse } from "graphql";
import { schema } from "../server/graphql/schema.ts";
import { freshOrganization, type Tenant } from "./support/server.ts";

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
};

describe("introspection", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await freshOrganization();
  });

  for (const [what, query] of Object.entries(QUERIES)) {
    it(`answers ${what} as graphql-js does, to the letter`, async () => {
      const expected = executeSync({ schema, document: parse(query) });
      expect(JSON.stringify(await tenant.gql(query))).to.equal(JSON.stringify(expected.data));
    });
  }
});
