import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import {
  createAuthorizationRequest,
  listTools,
  postForm,
  readViewerStatus,
  type ServerPair,
  startServerPair,
} from "../support/accounts/oauth.ts";
import { connectApp, startCallbackListener } from "../support/accounts/oauth-program.ts";
import { createOrganization } from "../support/server.ts";
import { closeSockets, openSocket } from "../support/stream/realtime.ts";
import { createTeam } from "../support/tracker/stream-writes.ts";
import { hasBrowser, releaseContexts, startSharedBrowser } from "../support/web/browser.ts";

describe("an app that knows only the address of MCP", () => {
  let browser: Browser;
  let pair: ServerPair;
  before(async function () {
    if (!hasBrowser()) this.skip();
    browser = await startSharedBrowser();
    pair = await startServerPair();
  });
  after(async () => {
    await releaseContexts(browser);
    closeSockets();
  });

  it("registers if its document cannot be read, is allowed, and is listed and revoked in the settings", async () => {
    const { mcp, tenant } = pair;
    await createTeam(tenant);
    const metadataUrl = "https://claude.ai/oauth/claude-code-client-metadata";
    const program = await connectApp({ mcp, tenant, browser, metadataUrl });
    expect(program.provider.stored.client?.client_id).to.match(/^trk_client_/);
    expect(program.page).to.contain("A program of the SDK").and.contain("127.0.0.1:").and.contain(tenant.email);
    const { tools } = await program.client.listTools();
    expect(tools.map(({ name }) => name))
      .to.include.members(["list_teams", "create_issue"])
      .and.not.include("capture_turn");
    const { structuredContent } = await program.client.callTool({ name: "list_teams", arguments: {} });
    expect((structuredContent as { teams: unknown[] }).teams).to.have.length(1);
    await program.close();

    const page = await browser.newPage();
    await page.goto(`${tenant.url}/settings/connections`);
    await page.getByLabel("Email").fill(tenant.email);
    await page.getByLabel("Password").fill(tenant.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    const row = page.getByRole("table", { name: "Connected apps" }).locator("tbody tr");
    expect(await row.innerText())
      .to.contain("A program of the SDK")
      .and.contain("read, write");
    const token = program.provider.stored.tokens?.access_token ?? "";
    expect((await listTools(mcp, token)).status).to.equal(200);
    await page.getByRole("button", { name: "Disconnect A program of the SDK" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await row.waitFor({ state: "detached" });
    expect([(await listTools(mcp, token)).status, await readViewerStatus(tenant.url, token)]).to.deep.equal([401, 401]);
  });

  it("gets a tool for recording if the user allows the scope record", async () => {
    const { mcp, tenant } = pair;
    const program = await connectApp({ mcp, tenant, browser, changed: ["Write", "Record"] });
    const names = (await program.client.listTools()).tools.map(({ name }) => name);
    expect(names).to.include.members(["list_issues", "capture_turn"]).and.not.include("create_issue");
    const turn = {
      session_id: "0198c0de-0000-7000-8000-000000000002",
      user_id: "u",
      agent: "a",
      user_message: "hi",
      reply: "ho",
    };
    const { isError } = await program.client.callTool({ name: "capture_turn", arguments: turn });
    expect(isError ?? false).to.equal(false);
    await program.close();
  });

  it("gets an error and no code if the user denies", async () => {
    const { tenant } = pair;
    const callback = await startCallbackListener();
    const { query } = await createAuthorizationRequest(tenant.url, {
      redirect_uri: callback.uri.replace(/:\d+/, ":9"),
    });
    const page = await browser.newPage();
    await page.goto(`${tenant.url}/oauth/authorize?${query.replace("%3A9%2F", `%3A${new URL(callback.uri).port}%2F`)}`);
    await page.getByLabel("Email").fill(tenant.email);
    await page.getByLabel("Password").fill(tenant.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Deny" }).click();
    const parameters = await callback.arrived;
    callback.close();
    expect([parameters.get("error"), parameters.get("code"), parameters.get("iss")]).to.deep.equal([
      "access_denied",
      null,
      tenant.url,
    ]);
  });

  it("attack: gets a blank page when a foreign page frames the consent page", async () => {
    const { tenant } = pair;
    const { query } = await createAuthorizationRequest(tenant.url);
    const page = await browser.newPage();
    await page.setContent(`<iframe src="${tenant.url}/oauth/authorize?${query}"></iframe>`);
    await sleep(500);
    const frame = page.frames()[1];
    expect(await frame?.locator("input").count()).to.equal(0);
  });

  it("loses access to two servers within a second of revocation at one: requests, MCP and sockets", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    const other = await startServerPair();
    const tenant = await createOrganization(pair.app);
    const program = await connectApp({ mcp: pair.mcp, tenant, browser });
    const token = program.provider.stored.tokens?.access_token ?? "";
    const statuses = async () => [
      await readViewerStatus(pair.app.url, token),
      await readViewerStatus(other.app.url, token),
      (await listTools(pair.mcp, token)).status,
      (await listTools(other.mcp, token)).status,
    ];
    const sockets = await Promise.all([openSocket(pair.app.url, { token }), openSocket(other.app.url, { token })]);
    const ends = Promise.all(sockets.map(({ next }) => next("disconnect").then(() => Date.now())));
    expect(await statuses()).to.deep.equal([200, 200, 200, 200]);
    const ended = Date.now();
    await postForm(other.app.url, "/oauth/revoke", { token });
    await sleep(1_000 - (Date.now() - ended));
    expect(await statuses()).to.deep.equal([401, 401, 401, 401]);
    expect((await ends).every((at) => at - ended <= 1_000)).to.equal(true);
    await program.close();
  });
});
