import { expect } from "chai";
import type { App } from "../../server/app.ts";
import {
  begin,
  finish,
  type RealProvider,
  resumed,
  setProvider,
  signInAt,
  startOidcServer,
  startProvider,
  through,
} from "../support/accounts/oidc.ts";
import { call, freshOrganization, type Tenant } from "../support/server.ts";

describe("sign-in by an organization's OpenID provider", () => {
  let app: App;
  let tenant: Tenant;
  let provider: RealProvider;
  /** Nobody else names it, in a database that files share. */
  const domain = `d${Date.now()}.example`;
  before(async () => {
    ({ app, tenant } = await startOidcServer());
    provider = await startProvider(app, { subject: "ada", email: "ada@corp.example", name: "Ada" });
    const { status, body } = await setProvider(tenant, provider.issuer, { domains: ["corp.example", domain] });
    expect([status, body]).to.deep.equal([200, body]);
  });
  after(() => provider.close());

  it("makes an account and a member at the first sign-in, and knows both again at the next", async () => {
    const begun = await begin(tenant, { returnTo: "/issues?mine" });
    const first = await finish(begun, await through(provider, begun));
    expect([first.status, first.location]).to.deep.equal([303, "/issues?mine"]);
    const session = await resumed(tenant.url, first.refreshToken);
    expect(session?.["user"]).to.include({ email: "ada@corp.example", name: "Ada" });
    expect(session?.["organization"]).to.include({ urlKey: tenant.urlKey, role: "member" });
    const second = await resumed(tenant.url, (await signInAt(provider, tenant)).refreshToken);
    expect(second?.["user"]).to.deep.equal(session?.["user"]);
  });

  it("is found by the domain of an e-mail address", async () => {
    const body = { email: `somebody@${domain}` };
    const { status, body: found } = await call(tenant.url, "POST", "/api/auth/oidc/start", { body });
    expect([status, found["organization"], found["host"]]).to.deep.equal([200, "Acme", new URL(provider.issuer).host]);
  });

  it("ends when the provider's session does, by its back-channel logout", async () => {
    const own = await freshOrganization(app);
    const logoutUrl = `${app.url}/api/auth/oidc/logout/${own.organizationId}`;
    const other = await startProvider(app, { subject: "grace", email: "grace@corp.example" }, logoutUrl);
    await setProvider(own, other.issuer);
    const session = await resumed(own.url, (await signInAt(other, own)).refreshToken);
    expect(session?.["user"].email).to.equal("grace@corp.example");
    await other.endSession();
    expect(await resumed(own.url, session?.["refreshToken"])).to.equal(undefined);
    other.close();
  });

  it("begins at one server and ends at another", async function () {
    if (app.runtime.db.engine === "embedded") this.skip();
    const PUBLIC_URL = app.url;
    const { app: other } = await startOidcServer({ PUBLIC_URL });
    const begun = await begin(tenant);
    const finished = await finish({ ...begun, url: other.url }, await through(provider, begun));
    expect((await resumed(app.url, finished.refreshToken))?.["organization"].urlKey).to.equal(tenant.urlKey);
    await other.close();
  });
});
