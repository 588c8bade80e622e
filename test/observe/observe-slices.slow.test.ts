import { randomBytes } from "node:crypto";
import { expect } from "chai";
import { createPace } from "../../server/ingest/observe/project/pace.ts";
import { postOtlp } from "../support/recording/otlp.ts";
import { createOrganization, startSharedServer, waitUntilFolded } from "../support/server.ts";

/** Builds calls of a tool, each in a separate trace and therefore in a separate session. */
const spans = (count: number) =>
  Array.from({ length: count }, () => ({
    traceId: randomBytes(16).toString("hex"),
    spanId: randomBytes(8).toString("hex"),
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now() + 5}000000`,
    attributes: [
      { key: "gen_ai.operation.name", value: { stringValue: "execute_tool" } },
      { key: "gen_ai.tool.name", value: { stringValue: "t" } },
    ],
  }));

describe("an OTLP export with many sessions", () => {
  it("is stored and folded in slices, so that statements of other organizations run in between", async () => {
    const [hostile, other] = [await createOrganization(), await createOrganization()];
    const { runtime } = await startSharedServer();
    const turn = { queueClass: "short", tenant: other.organizationId } as const;
    let isDone = false;
    let answered = 0;
    const asking = (async () => {
      while (!isDone) {
        await runtime.db.query({ text: "select 1", values: [] }, undefined, turn);
        answered += 1;
        // The next statement also waits and finds the connection in use again.
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    const body = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: spans(1_200) }] }] }));
    const { status } = await postOtlp({ url: hostile.url, key: hostile.ingestKey }, "/v1/traces", body);
    expect(status).to.equal(200);
    await waitUntilFolded(runtime, hostile.organizationId);
    isDone = true;
    await asking;
    const count = await runtime.db.query<{ count: number }>({
      text: "select count(*)::integer as count from recorded_event where organization_id = $1",
      values: [hostile.organizationId],
    });
    expect(count[0]?.count).to.equal(1_200);
    // Three transactions store the events. Folds start with at most 64 notes and grow to at most 500.
    expect(answered).to.be.at.least(10);
  });

  it("is folded in smaller slices when they are slow and in larger slices when they are quick", () => {
    const pace = createPace();
    const first = pace.notes();
    for (let fold = 0; fold < 10; fold += 1) pace.took(pace.notes(), 5);
    expect(pace.notes()).to.equal(500);
    pace.took(500, 1_000);
    expect(pace.notes()).to.be.within(16, first);
    for (let fold = 0; fold < 10; fold += 1) pace.took(pace.notes(), 10_000);
    expect(pace.notes()).to.be.within(1, 16);
    // A quick fold of a few notes is no measure for many notes.
    pace.took(1, 1);
    expect(pace.notes()).to.be.within(1, 16);
  });
});
