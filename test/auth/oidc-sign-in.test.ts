import { expect } from "chai";
import type { App } from "../../server/app.ts";
import {
  followProvider,
  type RealProvider,
  requestOidcSignIn,
  requestProviderCallback,
  resumeLogin,
  setProvider,
  signInAt,
  startOidcServer,
  startProvider,
} from "../support/accounts/oidc.ts";
import { callRestApi, createOrganization, type Tenant } from "../support/server.ts";

describe("sign-in by an organization's OpenID provider", () => {
  let app: App;
  let tenant: Tenant;
  let provider: RealProvider;
  /** A unique domain, because test files share the database. */
  const domain = `d${Date.now()}.example`;
  before(async () => {
    ({ app, tenant } = await startOidcServer());
    provider = await startProvider(app, { subject: "ada", email: "ada@corp.example", name: "Ada" });
    const { status, body } = await setProvider(tenant, provider.issuer, { domains: ["corp.example", domain] });
    expect([status, body]).to.deep.equal([200, body]);
  });
  after(() => provider.close());

  it("creates an account and a member at the first sign-in, and finds both at the next", async () => {
    const begun = await requestOidcSignIn(tenant, { returnTo: "/issues?mine" });
    const first = await requestProviderCallback(begun, await followProvider(provider, begun));
    expect([first.status, first.location]).to.deep.equal([303, "/issues?mine"]);
    const session = await resumeLogin(tenant.url, first.refreshToken);
    expect(session?.["user"]).to.include({ email: "ada@corp.example", name: "Ada" });
    expect(session?.["organization"]).to.include({ urlKey: tenant.urlKey, role: "member" });
    const second = await resumeLogin(tenant.url, (await signInAt(provider, tenant)).refreshToken);
    expect(second?.["user"]).to.deep.equal(session?.["user"]);
  });

  it("is found by the domain of an email address", async () => {
    const body = { email: `somebody@${domain}` };
    const { status, body: found } = await callRestApi(tenant.url, "POST", "/api/auth/oidc/start", { body });
    expect([status, found["organization"], found["host"]]).to.deep.equal([200, "Acme", new URL(provider.issuer).host]);
  });

  it("is revoked by the provider's back-channel logout", async () => {
    const own = await createOrganization(app);
    const logoutUrl = `${app.url}/api/auth/oidc/logout/${own.organizationId}`;
    const other = await startProvider(app, { subject: "grace", email: "grace@corp.example" }, logoutUrl);
    await setProvider(own, other.issuer);
    const session = await resumeLogin(own.url, (await signInAt(other, own)).refreshToken);
    expect(session?.["user"].email).to.equal("grace@corp.example");
    await other.endSession();
    expect(await resumeLogin(own.url, session?.["refreshToken"])).to.equal(undefined);
    other.close();
  });

  it("can begin at one server and end at another", async function () {
    if (app.runtime.db.engine === "embedded") this.skip();
    const PUBLIC_URL = app.url;
    const { app: other } = await startOidcServer({ PUBLIC_URL });
    const begun = await requestOidcSignIn(tenant);
    const finished = await requestProviderCallback({ ...begun, url: other.url }, await followProvider(provider, begun));
    expect((await resumeLogin(app.url, finished.refreshToken))?.["organization"].urlKey).to.equal(tenant.urlKey);
    await other.close();
  });
});
