import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import type { App } from "../../../server/app.ts";
import { authenticate } from "../../../server/auth/authenticate.ts";
import { createHourlyBudgets } from "../../../server/graphql/budget/budget.ts";
import { createRequestMeter } from "../../../server/graphql/budget/meter.ts";
import { createMemoryBudgetStore } from "../../../server/graphql/budget/store.ts";
import { executeRequest } from "../../../server/graphql/execute.ts";
import { describeOnPostgres } from "../../support/db/postgres.ts";
import { createOrganization, logLines, startServer, startSharedServer } from "../../support/server.ts";
import { createWorkspaceIn } from "../../support/workspace.ts";

const OFF = { requests: 0, points: 0 };

/** Sends a query with a deadline in milliseconds. Returns the code of the error. */
async function hurried({ runtime }: App, apiKey: string, query: string, deadline: number, variables = {}) {
  const { errors } = await executeRequest({
    runtime,
    principal: await authenticate(runtime, apiKey),
    meter: createRequestMeter(createHourlyBudgets(createMemoryBudgetStore(), OFF, OFF)),
    address: "127.0.0.1",
    at: new Date(),
    query,
    variables,
    operationName: undefined,
    shown: "native" as const,
    deadline: AbortSignal.timeout(deadline),
    requestId: "late",
    idempotencyKey: undefined,
  });
  return errors?.[0]?.extensions?.["code"];
}

describeOnPostgres("a request past its deadline", () => {
  it("responds with TIMEOUT immediately, and cancels its statement", async () => {
    const [app, { apiKey }] = [await startSharedServer(), await createOrganization()];
    const client = new pg.Client(process.env["TEST_DATABASE_URL"]);
    await client.connect();
    // Finds the statement of the query. Other clients that wait for the table may wait longer.
    const waiting = async () => {
      await client.query("select pg_stat_clear_snapshot()");
      const { rows } = await client.query(`select query from pg_stat_activity where wait_event_type = 'Lock'
        and query like '%"nodes":[%"comment"%' and datname = current_database() and pid <> pg_backend_pid()`);
      return rows.length;
    };
    try {
      await client.query("begin; lock table comment in access exclusive mode");
      const late = hurried(app, apiKey, "{ comments { nodes { id } } }", 1_000);
      let seen = 0;
      while (seen === 0 && !(await Promise.race([late.then(() => true), sleep(10, false)]))) seen = await waiting();
      expect(seen, "control: a statement that waits is seen").to.equal(1);
      expect(await late).to.equal("TIMEOUT");
      await sleep(100);
      expect(await waiting()).to.equal(0);
    } finally {
      await client.end();
    }
  });
});

describe("a search of long texts past its deadline on the embedded engine", () => {
  it("responds with TIMEOUT, and the engine then serves other requests", async () => {
    const app = await startServer({ DATABASE_URL: "", JWT_SECRET: "" });
    const space = await createWorkspaceIn(await createOrganization(app));
    const other = await createOrganization(app);
    for (let at = 0; at < 12; at += 1) await space.issue({ description: "Äbc defg ".repeat(26_000) });
    const begun = logLines.length;
    const texts = Array.from({ length: 20 }, (_, at) => ({ description: { containsIgnoreCase: `zebra ${at}` } }));
    const query = "query ($filter: IssueFilter) { issues(filter: $filter) { nodes { id } } }";
    expect(await hurried(app, space.apiKey, query, 100, { filter: { or: texts } })).to.equal("TIMEOUT");
    expect((await other.gql("{ teams { nodes { id } } }")).teams.nodes).to.deep.equal([]);
    expect(logLines.slice(begun).filter((line) => line.includes("ended and is opened again"))).to.deep.equal([]);
  });
});
