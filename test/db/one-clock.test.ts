import { expect } from "chai";
import { createOrganization, type Tenant } from "../support/server.ts";

/** Runs work under a clock that advances 5 ms with every read. */
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
    tenant = await createOrganization();
  });

  it("accepts the longest range that ends now", async () => {
    for (let n = 0; n < 10; n += 1) {
      const { data, errors } = await restless(() => tenant.graphql('{ recordedToolStats(from: "-P92D") { from to } }'));
      expect([errors, typeof data?.recordedToolStats.from]).to.deep.equal([undefined, "string"]);
    }
  });

  it("is the same for every duration of the request, in the document, in a variable or by default", async () => {
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
