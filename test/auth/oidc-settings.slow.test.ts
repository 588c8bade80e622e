import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { buildCallbackUrl, type ForgedIssuer, startForgedIssuer } from "../support/accounts/forged-issuer.ts";
import {
  OIDC_CLIENT,
  requestOidcSignIn,
  requestProviderCallback,
  resumeLogin,
  setProvider,
  startOidcServer,
} from "../support/accounts/oidc.ts";
import { callRestApi, createOrganization, logLines, startServer, type Tenant } from "../support/server.ts";

describe("settings of an OpenID provider", () => {
  let app: App;
  let tenant: Tenant;
  let forged: ForgedIssuer;
  before(async () => {
    ({ app, tenant } = await startOidcServer());
    forged = await startForgedIssuer();
  });
  beforeEach(() => forged.reset());
  after(() => forged.close());

  const input = () => ({ issuer: forged.issuer, clientId: OIDC_CLIENT.clientId, domains: ["corp.example"] });

  it("are visible to owners without the secret, which no response, log or table contains", async () => {
    expect((await tenant.rest("GET", "/api/oidc")).body["provider"]).to.equal(null);
    const { status, body } = await setProvider(tenant, forged.issuer);
    expect([status, body["callbackUrl"]]).to.deep.equal([200, `${app.url}/api/auth/oidc/callback`]);
    const shown = await tenant.rest("GET", "/api/oidc");
    expect(shown.body).to.deep.equal(body);
    const audit = await tenant.rest("GET", "/api/audit?event=oidc");
    const rows = await app.runtime.db.query({
      text: `select encode("secretEncrypted", 'escape') as sealed from "oidcProvider"`,
    });
    const everything = JSON.stringify([shown.body, audit.body, rows]) + logLines.join("\n");
    expect(everything).not.to.contain(OIDC_CLIENT.clientSecret);
    expect(JSON.stringify(audit.body)).to.contain("oidc.changed");
  });

  it("keep the secret when an update omits it; removing them revokes the logins of the provider", async () => {
    const own = await createOrganization(app);
    await setProvider(own, forged.issuer);
    expect((await own.rest("PATCH", "/api/oidc", { ...input(), groupsClaim: "teams" })).status).to.equal(200);
    const begun = await requestOidcSignIn(own);
    const { refreshToken } = await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect));
    const session = await resumeLogin(app.url, refreshToken);
    expect((await own.rest("DELETE", "/api/oidc")).status).to.equal(200);
    expect(await resumeLogin(app.url, String(session?.["refreshToken"]))).to.equal(undefined);
    const body = { organization: own.urlKey };
    expect((await callRestApi(app.url, "POST", "/api/auth/oidc/start", { body })).status).to.equal(404);
  });

  it("attack: cannot be read, changed or removed by a member", async () => {
    const other = await createOrganization(app);
    await setProvider(other, forged.issuer);
    const begun = await requestOidcSignIn(other);
    forged.claims = { sub: "a member", email: "a.member@corp.example" };
    const { refreshToken } = await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect));
    const headers = { authorization: `Bearer ${(await resumeLogin(app.url, refreshToken))?.["accessToken"]}` };
    for (const [method, body] of [["GET"], ["PATCH", input()], ["DELETE"]] as const)
      expect((await callRestApi(app.url, method, "/api/oidc", { headers, body })).status, method).to.equal(403);
  });

  it("attack: never send the stored secret to another issuer or for another client", async () => {
    const thief = await startForgedIssuer();
    for (const more of [{ issuer: thief.issuer }, { clientId: "another" }]) {
      const { status, body } = await tenant.rest("PATCH", "/api/oidc", { ...input(), ...more });
      expect([status, body["field"]]).to.deep.equal([400, "clientSecret"]);
    }
    thief.close();
  });

  it("attack: an email domain claimed by two organizations leads to neither of them", async () => {
    const [honest, greedy] = [await createOrganization(app), await createOrganization(app)];
    const domains = [`d${Date.now()}.example`];
    await setProvider(honest, forged.issuer, { domains });
    const start = () => callRestApi(app.url, "POST", "/api/auth/oidc/start", { body: { email: `x@${domains[0]}` } });
    expect((await start()).status).to.equal(200);
    await setProvider(greedy, forged.issuer, { domains });
    expect((await start()).status).to.equal(404);
  });

  const ISSUERS = [
    ...["ftp://idp.example", "https://user:pass@idp.example", "https://idp.example/?a=b", "https://idp.example/#a"],
    ...["http://idp.example", "idp.example", "", "javascript:alert(1)"],
  ];
  for (const issuer of ISSUERS)
    it(`attack: refuse the issuer ${JSON.stringify(issuer)}`, async () => {
      expect((await setProvider(tenant, issuer)).status).to.equal(400);
    });

  describe("on a server without private addresses", () => {
    let closed: Tenant;
    before(async () => {
      closed = await createOrganization(await startServer());
    });
    const PRIVATE = [
      "127.0.0.1",
      "localhost",
      "[::1]",
      "10.0.0.1",
      "169.254.169.254",
      "192.168.1.1",
      "[fd00::1]",
      "2130706433",
    ];
    for (const host of PRIVATE)
      for (const scheme of ["http", "https"])
        it(`attack: refuse an issuer at ${scheme}://${host}`, async () => {
          const { status, body } = await setProvider(closed, `${scheme}://${host}:8443`);
          expect([status, body["field"]]).to.deep.equal([400, "issuer"]);
          if (scheme === "https" && host !== "localhost") expect(body["error"]).to.contain("public address");
        });
  });

  const DOMAINS = [["*"], ["*.example.com"], ["com"], [""], ["@corp.example"], ["corp.example/"], [], ["a b.example"]];
  for (const domains of DOMAINS)
    it(`attack: refuse the domains ${JSON.stringify(domains)}`, async () => {
      expect((await setProvider(tenant, forged.issuer, { domains })).status).to.equal(400);
    });

  it("revoke logins of the previous issuer when the issuer changes", async () => {
    const own = await createOrganization(app);
    await setProvider(own, forged.issuer);
    const begun = await requestOidcSignIn(own);
    const { refreshToken } = await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect));
    const next = await startForgedIssuer();
    expect((await setProvider(own, next.issuer)).status).to.equal(200);
    expect(await resumeLogin(app.url, refreshToken)).to.equal(undefined);
    next.close();
  });

  it("are deleted with their organization, with the stored people", async () => {
    const { deleteOrganization, removeOrganizationRows } = await import("../../server/jobs/deletion.ts");
    const own = await createOrganization(app);
    await setProvider(own, forged.issuer);
    const begun = await requestOidcSignIn(own);
    await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect));
    await requestOidcSignIn(own);
    await deleteOrganization(app.runtime.db, own.organizationId, own.urlKey);
    await removeOrganizationRows(app.runtime.db, own.organizationId);
    for (const table of ["oidcProvider", "oidcIdentity", "oidcOnce", "login"]) {
      const text = `select count(*)::int as rows from "${table}" where "organizationId" = $1`;
      const [left] = await app.runtime.db.query<{ rows: number }>({ text, values: [own.organizationId] });
      expect(left?.rows, table).to.equal(0);
    }
  });

  it("keep records of used responses only until they expire", async () => {
    const { removeObsoleteAccountRows } = await import("../../server/jobs/accounts.ts");
    await setProvider(tenant, forged.issuer);
    await requestOidcSignIn(tenant);
    const rows = async () =>
      (
        await app.runtime.db.query({
          text: `select hash from "oidcOnce" where "organizationId" = $1`,
          values: [tenant.organizationId],
        })
      ).length;
    expect(await rows()).to.be.greaterThan(0);
    await removeObsoleteAccountRows(app.runtime.db, Date.now() + 60 * 60 * 1000);
    expect(await rows()).to.equal(0);
  });
});
