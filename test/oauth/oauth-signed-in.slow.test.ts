import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { createSignInCode } from "../../server/accounts/login/links.ts";
import {
  type AuthorizationRequest,
  createAuthorizationRequest,
  exchangeCode,
  postJson,
} from "../support/accounts/oauth.ts";
import { decideOnPage, startCallbackListener } from "../support/accounts/oauth-program.ts";
import { callRestApi, createOrganization, startSharedServer, type Tenant } from "../support/server.ts";
import { openContext, openWatchedPage } from "../support/web/browser.ts";
import { setUpBrowserTests, submitSignInForm } from "../support/web/web.ts";

/** Starts a site that browsers treat as a different site than the server's. */
async function startForeignSite(): Promise<{ url: string; server: Server; show(html: string): void }> {
  let shown = "";
  const server = createServer((_, response) => void response.setHeader("content-type", "text/html").end(shown));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    server,
    show: (html) => {
      shown = html;
    },
  };
}

describe("the OAuth consent page in a signed-in browser", () => {
  const web = setUpBrowserTests();
  let site: Awaited<ReturnType<typeof startForeignSite>>;
  before(async () => {
    site = await startForeignSite();
  });
  after(() => site?.server.close());

  const address = ({ query }: AuthorizationRequest) => `${web.tenant.url}/oauth/authorize?${query}`;
  /** Creates an authorization request of an app that waits for the redirect. */
  async function asked() {
    const callback = await startCallbackListener();
    const request = await createAuthorizationRequest(web.tenant.url, { redirect_uri: callback.uri });
    const token = async () => {
      const code = (await callback.arrived).get("code") ?? "";
      callback.close();
      return (await exchangeCode(web.tenant.url, request, code, { redirect_uri: callback.uri })).body.access_token;
    };
    return { request, token };
  }
  /** Returns the user and the organization of a token. */
  const holderOf = async (token: string) => {
    const query = "{ viewer { email } organization { urlKey } }";
    const { body } = await postJson(web.tenant.url, "/graphql", { query }, { authorization: `Bearer ${token}` });
    return [body.data.viewer.email, body.data.organization.urlKey];
  };
  const codesGiven = async () => {
    const { runtime } = await startSharedServer();
    const [row] = await runtime.db.query<{ n: number }>({ text: `select count(*)::int as n from "oauthCode"` });
    return row?.n;
  };
  const deny = (page: Page) => page.getByRole("button", { name: "Deny" });

  it("names the signed-in user and asks for no password, also after a link from a foreign site", async () => {
    const { page, problems } = await web.open();
    const { request, token } = await asked();
    site.show(`<a href="${address(request).replaceAll("&", "&amp;")}">Connect</a>`);
    await page.goto(site.url);
    problems.length = 0;
    await page.getByText("Connect").click();
    await deny(page).waitFor();
    expect([await page.locator("input[type=password]").count(), problems]).to.deep.equal([0, []]);
    const shown = await decideOnPage(page, "Allow");
    expect(shown).to.contain(web.tenant.email).and.contain("Tests").and.contain("127.0.0.1:");
    expect(await holderOf(await token())).to.deep.equal([web.tenant.email, web.tenant.urlKey]);
  });

  it("asks for the organization, with the browser's own first, and gives a code for the chosen organization", async () => {
    const { page } = await web.open();
    const urlKey = `second-${randomUUID().slice(0, 8)}`;
    await web.tenant.rest("POST", "/api/organization", { name: "Second", urlKey });
    const { request, token } = await asked();
    await page.goto(address(request));
    const choice = page.getByLabel("Organization", { exact: true });
    await choice.waitFor();
    expect(await choice.locator("option:checked").innerText()).to.contain(web.tenant.urlKey);
    await choice.selectOption({ label: `Second (${urlKey})` });
    await decideOnPage(page, "Allow");
    expect(await holderOf(await token())).to.deep.equal([web.tenant.email, urlKey]);
  });

  it("lets a user without an organization create one first, and continues", async () => {
    const account = { email: `lone-${randomUUID()}@example.com`, password: "a password of hers", name: "Lone" };
    await callRestApi(web.tenant.url, "POST", "/api/auth/signup", { body: account });
    const { request, token } = await asked();
    const { page } = await openWatchedPage(await openContext(web.browser), web.tenant.url);
    await page.goto(address(request));
    await page.getByLabel("Email").fill(account.email);
    await page.getByLabel("Password").fill(account.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    const urlKey = `lone-${randomUUID().slice(0, 8)}`;
    await page.getByLabel("URL name").fill(urlKey);
    await page.getByLabel("Name", { exact: true }).fill("Lone's");
    await page.getByRole("button", { name: "Create" }).click();
    await decideOnPage(page, "Allow");
    expect(await holderOf(await token())).to.deep.equal([account.email, urlKey]);
  });

  it('asks again when another user signs in, in another tab or after "Not you?"', async () => {
    const other = await createOrganization();
    const { page } = await web.open();
    const { request, token } = await asked();
    await page.goto(address(request));
    await page.getByText(web.tenant.email).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(web.tenant.url);
    await tab.getByRole("button", { name: "Sign out" }).click();
    await submitSignInForm(tab, other);
    await page.getByText(other.email).waitFor();
    await page.getByRole("button", { name: "Not you?" }).click();
    await page.getByLabel("Email").fill(web.tenant.email);
    await page.getByLabel("Password").fill(web.tenant.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await decideOnPage(page, "Allow")).to.contain(web.tenant.email);
    expect((await holderOf(await token()))[0]).to.equal(web.tenant.email);
  });

  it("attack: ignores decisions by a foreign site in every kind of request that carries the cookie", async () => {
    const { page } = await web.open();
    const { request } = await asked();
    const before = await codesGiven();
    const decision = { query: request.query, decision: "allow", organizationId: web.tenant.organizationId };
    const body = JSON.stringify({ ...decision, scopes: ["read"] });
    await page.goto(site.url);
    const answers = await page.evaluate(
      async ([url, text]) => {
        const found: string[] = [];
        for (const path of ["/oauth/consent", "/oauth/consent/request", "/api/auth/session"])
          for (const type of ["text/plain", "application/json", "application/x-www-form-urlencoded"])
            for (const mode of ["cors", "no-cors"] as const)
              for (const own of [{}, { "X-Trackway-Session": "cookie" }])
                await fetch(url + path, {
                  method: "POST",
                  mode,
                  credentials: "include",
                  headers: { "Content-Type": type, ...own } as Record<string, string>,
                  body: path === "/api/auth/session" ? "{}" : String(text),
                }).then(
                  async (answer) => found.push(`${answer.type} ${answer.status} ${await answer.text()}`),
                  () => found.push("refused"),
                );
        return found;
      },
      [web.tenant.url, body] as const,
    );
    expect([...new Set(answers)]).to.deep.equal(["refused"]);
    await page.setContent(
      `<form method="post" enctype="text/plain" action="${web.tenant.url}/oauth/consent"><input name='${body.slice(0, -1)},"x":"' value='"}'></form>`,
    );
    await page.evaluate("document.forms[0].submit()");
    await page.waitForURL(`${web.tenant.url}/oauth/consent`);
    expect(await codesGiven()).to.equal(before);
  });

  it("attack: needs the bearer token; the cookie alone, of this account or another, decides nothing", async () => {
    const other = await createOrganization();
    const { request } = await asked();
    const { page } = await web.open();
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    const own = { cookie, origin: web.tenant.url, "x-trackway-session": "cookie", "sec-fetch-site": "same-origin" };
    const decision = ({ organizationId }: Tenant) => ({
      query: request.query,
      decision: "allow",
      organizationId,
      scopes: ["read"],
    });
    const before = await codesGiven();
    const alone = await postJson(web.tenant.url, "/oauth/consent", decision(web.tenant), own);
    const authorization = `Bearer ${other.accessToken}`;
    const mixed = await postJson(web.tenant.url, "/oauth/consent", decision(web.tenant), { ...own, authorization });
    expect([alone.status, mixed.status, await codesGiven()]).to.deep.equal([401, 403, before]);
    const theirs = await postJson(web.tenant.url, "/oauth/consent", decision(other), { ...own, authorization });
    const code = new URL(theirs.body.redirect).searchParams.get("code") ?? "";
    const { redirect_uri = "" } = Object.fromEntries(new URLSearchParams(request.query));
    const { body } = await exchangeCode(web.tenant.url, request, code, { redirect_uri });
    expect(await holderOf(body.access_token)).to.deep.equal([other.email, other.urlKey]);
  });

  it("attack: shows nothing in a frame of a foreign site, signed in or not", async () => {
    const { page } = await web.open();
    const { request } = await asked();
    for (const path of [address(request), `${web.tenant.url}/oauth/authorize`, web.tenant.url]) {
      site.show(`<iframe src="${path.replaceAll("&", "&amp;")}"></iframe>`);
      await page.goto(site.url);
      await page.waitForFunction("frames.length === 1");
      expect(page.frames()[1]?.url()).to.match(/^chrome-error:/);
    }
  });

  it("attack: signs nobody in by a link, and names the user of a planted login, who can be left", async () => {
    const stranger = await createOrganization();
    const { request, token } = await asked();
    const { runtime } = await startSharedServer();
    const found = { text: "select id from account where email = $1", values: [stranger.email] };
    const [account] = await runtime.db.query<{ id: string }>(found);
    const code = await createSignInCode(runtime.db, account?.id ?? "");
    const context = await openContext(web.browser);
    const { page } = await openWatchedPage(context, web.tenant.url);
    await page.goto(`${address(request)}#welcome=${code}`);
    await page.getByLabel("Email").waitFor();
    expect(await deny(page).count()).to.equal(0);
    const name = `trackway_refresh_${new URL(web.tenant.url).port}`;
    await context.addCookies([
      { name, value: stranger.refreshToken, url: `${web.tenant.url}/api/auth`, httpOnly: true, sameSite: "Strict" },
    ]);
    await page.goto(address(request));
    await page.reload();
    await page.getByText(stranger.email).waitFor();
    await page.getByRole("button", { name: "Not you?" }).click();
    await page.getByLabel("Email").fill(web.tenant.email);
    await page.getByLabel("Password").fill(web.tenant.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await decideOnPage(page, "Allow");
    expect((await holderOf(await token()))[0]).to.equal(web.tenant.email);
    const planted = { refreshToken: stranger.refreshToken };
    expect((await callRestApi(web.tenant.url, "POST", "/api/auth/refresh", { body: planted })).status).to.equal(401);
  });
});
