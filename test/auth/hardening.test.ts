import { expect } from "chai";
import { getIntrospectionQuery } from "graphql";
import { DOUBLING, PROBES, send } from "../support/hostile/probes.ts";
import { freshOrganization, sendGraphQL, type Tenant } from "../support/server.ts";

describe("POST /graphql under hostile requests", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await freshOrganization();
  });

  for (const probe of PROBES) {
    it(`refuses ${probe.name}`, async () => {
      const response = await send(tenant.url, tenant.apiKey, probe);
      const { data, errors } = (await response.json()) as {
        data?: unknown;
        errors: { extensions: { code: string } }[];
      };
      expect(data ?? undefined).to.equal(undefined);
      expect(errors[0]?.extensions.code).not.to.equal("INTERNAL_SERVER_ERROR");
      expect(response.status).to.be.oneOf(probe.stranger ? [401] : [200, 400, 405, 413, 415]);
    });
  }

  it("answers fragments that double: the field is the same one each time", async () => {
    expect(await tenant.gql(DOUBLING)).to.deep.equal({ __typename: "Query" });
  });

  it("tells strangers nothing of the schema", async () => {
    const { status, errors } = await sendGraphQL(tenant.url, "", { query: "{ isues }" });
    expect([status, errors?.length]).to.deep.equal([401, 1]);
    expect(errors?.[0]?.message).not.to.match(/issue|mean/i);
  });

  it("lets a caller introspect, descriptions and all", async () => {
    const { __schema } = await tenant.gql(getIntrospectionQuery());
    const issue = __schema.types.find(({ name }: { name: string }) => name === "Issue");
    expect(issue.fields.filter(({ description }: { description?: string }) => !description)).to.deep.equal([]);
  });
});
