import { expect } from "chai";
import { freshOrganization, type Tenant } from "../support/server.ts";

/** Runs work under a clock that goes 5 ms further with every read of it. */
async function restless<T>(work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  let more = 0;
  Date.now = () => {
    more += 5;
    return now() + more;
  };
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

describe("the clock of a request", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await freshOrganization();
  });

  it("lets the longest range end now", async () => {
    for (let n = 0; n < 10; n += 1) {
      const { data, errors } = await restless(() => tenant.graphql('{ recordedToolStats(from: "-P92D") { from to } }'));
      expect([errors, typeof data?.recordedToolStats.from]).to.deep.equal([undefined, "string"]);
    }
  });

  it("is the same for every duration in it, in the document or a variable, and for what is left out", async () => {
    const query = `query ($from: DateTimeOrDuration) { ${Array.from(
      { length: 20 },
      (_, n) => `s${n}: recordedToolStats(from: ${n % 2 ? "$from" : '"-P1D"'}) { from to }`,
    ).join(" ")} }`;
    for (let n = 0; n < 10; n += 1) {
      const data = await restless(() => tenant.gql(query, { from: "-P1D" }));
      const ranges = new Set(Object.values(data).map((each) => JSON.stringify(each)));
      expect([...ranges]).to.have.length(1);
    }
  });
});
