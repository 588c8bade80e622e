import { expect } from "chai";
import { serverAudits } from "graphql-http";
import { createOrganization, type Tenant } from "../../support/server.ts";

describe("GraphQL-over-HTTP audit", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
  });

  const fetchFn = (url: string, init: RequestInit = {}) =>
    fetch(url, { ...init, headers: { ...(init.headers as Record<string, string>), Authorization: tenant.apiKey } });
  const audits = serverAudits({ url: () => `${tenant.url}/graphql`, fetchFn });

  it("has 61 cases", () => expect(audits).to.have.length(61));

  for (const audit of audits) {
    it(`${audit.id} ${audit.name}`, async () => {
      const result = await audit.fn();
      expect(result.status, "reason" in result ? result.reason : "").to.equal("ok");
    });
  }
});
