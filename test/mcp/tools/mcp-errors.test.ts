import { expect } from "chai";
import { connectHttpClient, connectSharedClient, connectStdioClient, startMcpHttp } from "../../support/mcp.ts";
import { createOrganization, startServer, type Tenant } from "../../support/server.ts";

const team = (tenant: Tenant, key: string, name: string) =>
  tenant.gql(`mutation { teamCreate(input: { key: "${key}", name: "${name}" }) { success } }`);

/** Checks that a text has at most two sentences and contains the next step in words that a model can follow. */
const shouldHelp = (text: string) => {
  expect(text.length).to.be.within(20, 450);
  expect(text).to.match(/call again|repeat the call|Create a key|Look it up|without cursor|endCursor/i);
};

describe("an error of an MCP tool contains the next step", () => {
  it("when the API is not reachable", async () => {
    const { call } = await connectStdioClient({ url: "http://127.0.0.1:64999", apiKey: `trk_api_${"0".repeat(40)}` });
    const { text, isError } = await call("list_teams");
    expect(isError).to.equal(true);
    expect(text).to.match(/not reachable at http:\/\/127\.0\.0\.1:64999 \(ECONNREFUSED\)\. Start it with `npm start`/);
    shouldHelp(text);
  });

  it("when Trackway refuses the key", async () => {
    const { url } = await createOrganization();
    const { call } = await connectStdioClient({ url, apiKey: `trk_api_${"0".repeat(40)}` });
    const { text } = await call("list_teams");
    expect(text).to.match(/^Trackway refused the API key/);
    shouldHelp(text);
  });

  it("when the request budget is spent", async () => {
    const app = await startServer({ GRAPHQL_REQUESTS_PER_HOUR: "3" });
    const tenant = await createOrganization(app);
    const { call } = await connectHttpClient(await startMcpHttp(app.url), tenant.apiKey);
    const answers = [];
    for (let n = 0; n < 4; n += 1) answers.push(await call("list_teams"));
    const { text, isError } = answers[3] as (typeof answers)[0];
    expect(isError).to.equal(true);
    expect(text).to.match(/Wait \d+ s, then repeat the call\.$/);
  }).timeout(60_000);

  it("for an unknown name, with the existing names", async () => {
    const tenant = await createOrganization();
    await team(tenant, "ENG", "Engineering");
    const { call } = await connectSharedClient(tenant);
    const args = { team: "ENG", title: "One" };
    expect((await call("list_issues", { team: "X" })).text).to.equal(
      'There is no team "X". Call again with one of: ENG (Engineering).',
    );
    expect((await call("create_issue", { ...args, assignee: "Bob" })).text).to.match(
      /no user "Bob".*Olive Owner \(owner-/,
    );
    expect((await call("create_issue", { ...args, state: "Doing" })).text).to.contain(
      "one of: Backlog, Todo, In Progress",
    );
    expect((await call("list_issues", { state: "Doing" })).text).to.contain("Canceled, Duplicate, or open.");
    expect((await call("get_issue", { issue: "ENG-99" })).text).to.equal(
      "Issue not found: ENG-99. Find the id with a list tool and call again.",
    );
  });

  it("for an ambiguous name, with the ids of its matches, and a key has priority over a name", async () => {
    const tenant = await createOrganization();
    await team(tenant, "QA", "Quality");
    await team(tenant, "QB", "QA");
    await team(tenant, "QC", "Quality");
    const { call } = await connectSharedClient(tenant);
    const { text } = await call("list_issues", { team: "quality" });
    expect(text).to.match(/^"quality" fits 2 teams: Q. \/ Quality \(.{36}\), Q. \/ Quality \(.{36}\)\. Call again/);
    const { issue } = (await call("create_issue", { team: "QA", title: "One" })).data;
    expect(issue.id).to.equal("QA-1");
    expect((await call("list_issues", { team: "QA" })).data.issues).to.have.length(1);
  });

  it("for a stale or foreign cursor", async () => {
    const { call } = await connectSharedClient(await createOrganization());
    const { text, isError } = await call("list_issues", { cursor: "stale" });
    expect(isError).to.equal(true);
    expect(text).to.contain("cursor").and.contain("Call again without cursor");
  });

  it("for an unknown, missing or invalid argument", async () => {
    const { call } = await connectSharedClient(await createOrganization());
    expect((await call("get_team", { team: "ENG", colour: "red" })).text).to.equal(
      'Unknown argument "colour". get_team takes: team.',
    );
    expect((await call("get_team")).text).to.equal("team is required. get_team takes: team.");
    expect((await call("list_issues", { priority: "P1" })).text).to.contain("one of none, urgent, high, medium, low");
    expect((await call("list_issues", { limit: 1000 })).text).to.match(/^limit: .*100/);
    expect((await call("list_issues", { limit: "5" })).text).to.match(/^limit: must be a number/);
    expect((await call("create_comment", { issue: "ENG-99", body: "x" })).text).to.equal(
      "issue: no issue ENG-99 in this organization. Correct the input and call again.",
    );
    expect((await call("list_issues", { updated_since: "lately" })).text).to.match(
      /^updated_since cannot be "lately"\. Write a day \(2026-01-31\), .*P7D/,
    );
  });
});
