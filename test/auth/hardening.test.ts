import { expect } from "chai";
import { getIntrospectionQuery } from "graphql";
import { DOUBLING_DOCUMENT, PROBES, sendProbe } from "../support/hostile/probes.ts";
import { createOrganization, sendGraphQL, type Tenant } from "../support/server.ts";

describe("POST /graphql under hostile requests", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
  });

  for (const probe of PROBES) {
    it(`refuses ${probe.name}`, async () => {
      const response = await sendProbe(tenant.url, tenant.apiKey, probe);
      const { data, errors } = (await response.json()) as {
        data?: unknown;
        errors: { extensions: { code: string } }[];
      };
      expect(data ?? undefined).to.equal(undefined);
      expect(errors[0]?.extensions.code).not.to.equal("INTERNAL_SERVER_ERROR");
      expect(response.status).to.be.oneOf(probe.stranger ? [401] : [200, 400, 405, 413, 415]);
    });
  }

  it("resolves doubling fragments to the same field", async () => {
    expect(await tenant.gql(DOUBLING_DOCUMENT)).to.deep.equal({ __typename: "Query" });
  });

  it("reveals nothing of the schema to callers without a key", async () => {
    const { status, errors } = await sendGraphQL(tenant.url, "", { query: "{ isues }" });
    expect([status, errors?.length]).to.deep.equal([401, 1]);
    expect(errors?.[0]?.message).not.to.match(/issue|mean/i);
  });

  it("allows introspection with descriptions to authenticated callers", async () => {
    const { __schema } = await tenant.gql(getIntrospectionQuery());
    const issue = __schema.types.find(({ name }: { name: string }) => name === "Issue");
    expect(issue.fields.filter(({ description }: { description?: string }) => !description)).to.deep.equal([]);
  });
});
