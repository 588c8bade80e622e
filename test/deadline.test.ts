import { expect } from "chai";
import pg from "pg";
import { authenticate } from "../server/auth/authenticate.ts";
import { createBudget } from "../server/graphql/budget/budget.ts";
import { memoryBudgets } from "../server/graphql/budget/memory.ts";
import { newMeter } from "../server/graphql/budget/meter.ts";
import { execute } from "../server/graphql/execute.ts";
import { describeOnPostgres } from "./support/postgres.ts";
import { freshOrganization, sharedServer } from "./support/server.ts";

describeOnPostgres("a request past its deadline", () => {
  it("answers TIMEOUT at once, and its statement is cancelled", async () => {
    const [{ runtime }, { apiKey }] = [await sharedServer(), await freshOrganization()];
    const client = new pg.Client(process.env["TEST_DATABASE_URL"]);
    await client.connect();
    await client.query("begin; lock table comment in access exclusive mode");
    const off = { requests: 0, points: 0 };
    const { errors } = await execute({
      runtime,
      principal: await authenticate(runtime, apiKey),
      meter: newMeter(createBudget(memoryBudgets(), off, off)),
      at: new Date(),
      query: "{ comments { nodes { id } } }",
      variables: {},
      operationName: undefined,
      shown: "native" as const,
      deadline: AbortSignal.timeout(100),
      requestId: "late",
      idempotencyKey: undefined,
    });
    expect(errors?.[0]?.extensions?.["code"]).to.equal("TIMEOUT");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const waiting = `select query from pg_stat_activity where wait_event_type = 'Lock' and query like '%"comment"%'
      and datname = current_database() and pid <> pg_backend_pid()`;
    expect((await client.query(waiting)).rows).to.deep.equal([]);
    await client.end();
  });
});
