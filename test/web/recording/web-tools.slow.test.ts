import { randomUUID } from "node:crypto";
import { expect } from "chai";
import fc from "fast-check";
import { scaleRuns } from "../../support/run/runs.ts";
import { callRestApi, createOrganization } from "../../support/server.ts";
import { pressUntilShown, setUpBrowserTests } from "../../support/web/web.ts";
import { createWorld, type WebWorld } from "../../support/web/web-world.ts";

describe("the pages of tools and users", () => {
  let world: WebWorld;
  const web = setUpBrowserTests(async (tenant) => {
    world = await createWorld(tenant);
  });

  it("list tools by the selected order, and open a tool, by keyboard alone", async () => {
    const { page, problems } = await web.open("/tools");
    const names = page.getByRole("table", { name: "Tools" }).getByRole("link");
    await names.first().waitFor();
    expect(await names.allInnerTexts()).to.deep.equal(["Bash", "Read"]);
    await page.getByRole("button", { name: "Calls" }).focus();
    await page.keyboard.press("Enter");
    expect(await names.allInnerTexts()).to.deep.equal(["Read", "Bash"]);
    await page.keyboard.press("f");
    await page.keyboard.type("bas");
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Bash" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("group the failures of a tool by message, and file an issue about a group", async () => {
    const { page, problems } = await web.open("/tools/Bash");
    const groups = page.getByRole("table", { name: "Failure groups" });
    await groups.waitFor();
    expect(await groups.getByRole("link").allInnerTexts()).to.deep.equal(["exit ‹n›: cannot open ‹path›"]);
    await page.getByRole("button", { name: "File an issue about" }).click();
    await page.getByRole("dialog").getByLabel("Title").fill("Bash cannot open parts");
    // The page reads again after new recordings. Text that the user is typing must remain.
    const read = page.waitForResponse((response) => (response.request().postData() ?? "").includes("recordedTool"));
    const failure = {
      primitive_name: "Bash",
      primitive_type: "tool",
      args: "{}",
      result: "another one",
      success: false,
    };
    const body = { event_id: randomUUID(), session_id: randomUUID(), ...failure };
    const headers = { "x-api-key": web.tenant.ingestKey };
    await callRestApi(web.tenant.url, "POST", "/api/v1/capture-event", { body, headers });
    await (await read).finished();
    const file = page.getByRole("dialog").getByRole("button", { name: "File issue" });
    await pressUntilShown(() => file.click(), page.getByRole("heading", { level: 1, name: "Bash cannot open parts" }));
    await page.getByRole("link", { name: /^event / }).click();
    await page.waitForURL(/\/sessions\/[^/]+\/events\//);
    expect(problems).to.deep.equal([]);
  });

  it("find a user by a trait and show the user's sessions", async () => {
    const { page, problems } = await web.open("/users");
    await page.getByRole("link", { name: world.userId }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("plan:free");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "No matching users" }).waitFor();
    await page.getByRole("link", { name: "Show all users" }).click();
    await page.getByRole("link", { name: world.userId }).click();
    await page.getByRole("heading", { level: 1, name: world.userId }).waitFor();
    await page.getByRole("link", { name: "Why is CI red?" }).click();
    await page.waitForURL(/\/sessions\//);
    expect(problems).to.deep.equal([]);
  });
});

describe("the queries recordedTool and recordedToolStats", () => {
  const ASKED = `query($name: String!, $buckets: Int) { recordedTool(name: $name, buckets: $buckets) { calls failures sessions p50
    p95 p99 bandCalls bandFailures buckets { calls failures bands } failureGroups { message count sessions eventId sessionId } } }`;
  const EDGES = [10, 30, 100, 300, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000];
  const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);
  const bandOf = (ms: number) => EDGES.filter((edge) => ms >= edge).length;
  const event = fc.record({
    tool: fc.constantFrom("Bash", "Read"),
    success: fc.boolean(),
    latency: fc.integer({ min: 0, max: 200_000 }),
    session: fc.constantFrom(0, 1),
    message: fc.constantFrom("not found", "timed out after 3 s", "timed out after 120 s", "no such file: src/a/b.ts"),
    asJson: fc.boolean(),
  });

  it("return calls, failures, latency bands and failure groups that match the sent events", async () => {
    const property = fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 200 }),
      async (calls, buckets) => {
        const tenant = await createOrganization();
        const sessions = [randomUUID(), randomUUID()];
        const begin = Date.now() - 3_600_000;
        const events = calls.map((one, at) => ({
          event_id: randomUUID(),
          session_id: sessions[one.session],
          primitive_name: one.tool,
          primitive_type: "tool",
          args: "{}",
          result: one.asJson ? JSON.stringify({ code: 7, error: one.message }) : `${one.message}\nmore`,
          success: one.success,
          latency: one.latency,
          timestamp: begin + at * 60_000,
        }));
        await callRestApi(tenant.url, "POST", "/api/v1/capture-events", {
          body: { events },
          headers: { "x-api-key": tenant.ingestKey },
        });
        const { recordedTool } = await tenant.gql(ASKED, { name: "Bash", buckets });
        const own = calls.filter(({ tool }) => tool === "Bash");
        const failed = own.filter(({ success }) => !success);
        const bands = (of: typeof own) =>
          Array.from({ length: 12 }, (_, n) => of.filter(({ latency }) => bandOf(latency) === n).length);
        const said = (text: string) => text.replace("src/a/b.ts", "‹path›").replace(/\d+/g, "‹n›");
        expect(recordedTool).to.deep.include({
          calls: own.length,
          failures: failed.length,
          bandCalls: bands(own),
          bandFailures: bands(failed),
        });
        expect(recordedTool.sessions).to.equal(new Set(own.map(({ session }) => session)).size);
        expect(recordedTool.buckets.length).to.equal(Math.min(buckets, 24));
        const parts: { calls: number; failures: number; bands: number[] }[] = recordedTool.buckets;
        expect([sum(parts.map((one) => one.calls)), sum(parts.map((one) => one.failures))]).to.deep.equal([
          own.length,
          failed.length,
        ]);
        expect(sum(parts.flatMap((one) => one.bands))).to.equal(own.length);
        const groups: Record<string, number> = {};
        for (const { message } of failed) groups[said(message)] = (groups[said(message)] ?? 0) + 1;
        expect(
          Object.fromEntries(
            recordedTool.failureGroups.map((one: { message: string; count: number }) => [one.message, one.count]),
          ),
        ).to.deep.equal(groups);
      },
    );
    await fc.assert(property, { numRuns: scaleRuns(12) });
  });

  it("return trends that add up to the figures of each tool", async () => {
    const tenant = await createOrganization();
    await createWorld(tenant);
    const { recordedToolStats } = await tenant.gql(
      `{ recordedToolStats { tools { calls failures trend failureTrend } } }`,
    );
    expect(recordedToolStats.tools.length).to.equal(2);
    for (const { calls, failures, trend, failureTrend } of recordedToolStats.tools) {
      expect([trend.length, failureTrend.length, sum(trend), sum(failureTrend)]).to.deep.equal([
        24,
        24,
        calls,
        failures,
      ]);
    }
  });

  it("refuse an invalid number of buckets, and return nothing of another organization", async () => {
    const [tenant, other] = [await createOrganization(), await createOrganization()];
    await createWorld(other);
    const { recordedTool } = await tenant.gql(ASKED, { name: "Bash" });
    expect([recordedTool.calls, recordedTool.failureGroups]).to.deep.equal([0, []]);
    for (const buckets of [0, 201]) {
      const { errors } = await tenant.graphql(ASKED, { name: "Bash", buckets });
      expect(errors?.[0]?.message).to.contain("buckets must be between 1 and 200");
    }
  });
});
