import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { answerOf, type ForgedIssuer, startForgedIssuer } from "../support/accounts/forged-issuer.ts";
import { begin, CLIENT, finish, resumed, setProvider, startOidcServer } from "../support/accounts/oidc.ts";
import { call, freshOrganization, logLines, startServer, type Tenant } from "../support/server.ts";

describe("the settings of an OpenID provider", () => {
  let app: App;
  let tenant: Tenant;
  let forged: ForgedIssuer;
  before(async () => {
    ({ app, tenant } = await startOidcServer());
    forged = await startForgedIssuer();
  });
  beforeEach(() => forged.reset());
  after(() => forged.close());

  const input = () => ({ issuer: forged.issuer, clientId: CLIENT.clientId, domains: ["corp.example"] });

  it("are shown to owners without the secret, which no answer, log or table has", async () => {
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
    expect(everything).not.to.contain(CLIENT.clientSecret);
    expect(JSON.stringify(audit.body)).to.contain("oidc.changed");
  });

  it("keep the secret when a change leaves it out, and end with the logins that they began", async () => {
    const own = await freshOrganization(app);
    await setProvider(own, forged.issuer);
    expect((await own.rest("PATCH", "/api/oidc", { ...input(), groupsClaim: "teams" })).status).to.equal(200);
    const begun = await begin(own);
    const { refreshToken } = await finish(begun, answerOf(forged, begun.redirect));
    const session = await resumed(app.url, refreshToken);
    expect((await own.rest("DELETE", "/api/oidc")).status).to.equal(200);
    expect(await resumed(app.url, String(session?.["refreshToken"]))).to.equal(undefined);
    const body = { organization: own.urlKey };
    expect((await call(app.url, "POST", "/api/auth/oidc/start", { body })).status).to.equal(404);
  });

  it("attack: a member reads, changes or removes them", async () => {
    const other = await freshOrganization(app);
    await setProvider(other, forged.issuer);
    const begun = await begin(other);
    forged.claims = { sub: "a member", email: "a.member@corp.example" };
    const { refreshToken } = await finish(begun, answerOf(forged, begun.redirect));
    const headers = { authorization: `Bearer ${(await resumed(app.url, refreshToken))?.["accessToken"]}` };
    for (const [method, body] of [["GET"], ["PATCH", input()], ["DELETE"]] as const)
      expect((await call(app.url, method, "/api/oidc", { headers, body })).status, method).to.equal(403);
  });

  it("attack: the stored secret sent to another issuer, or for another client", async () => {
    const thief = await startForgedIssuer();
    for (const more of [{ issuer: thief.issuer }, { clientId: "another" }]) {
      const { status, body } = await tenant.rest("PATCH", "/api/oidc", { ...input(), ...more });
      expect([status, body["field"]]).to.deep.equal([400, "clientSecret"]);
    }
    thief.close();
  });

  it("attack: an e-mail domain that a second organization names leads to neither of them", async () => {
    const [honest, greedy] = [await freshOrganization(app), await freshOrganization(app)];
    const domains = [`d${Date.now()}.example`];
    await setProvider(honest, forged.issuer, { domains });
    const start = () => call(app.url, "POST", "/api/auth/oidc/start", { body: { email: `x@${domains[0]}` } });
    expect((await start()).status).to.equal(200);
    await setProvider(greedy, forged.issuer, { domains });
    expect((await start()).status).to.equal(404);
  });

  const ISSUERS = [
    ...["ftp://idp.example", "https://user:pass@idp.example", "https://idp.example/?a=b", "https://idp.example/#a"],
    ...["http://idp.example", "idp.example", "", "javascript:alert(1)"],
  ];
  for (const issuer of ISSUERS)
    it(`attack: the issuer ${JSON.stringify(issuer)}`, async () => {
      expect((await setProvider(tenant, issuer)).status).to.equal(400);
    });

  describe("where private addresses are closed", () => {
    let closed: Tenant;
    before(async () => {
      closed = await freshOrganization(await startServer());
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
        it(`attack: an issuer at ${scheme}://${host}`, async () => {
          const { status, body } = await setProvider(closed, `${scheme}://${host}:8443`);
          expect([status, body["field"]]).to.deep.equal([400, "issuer"]);
          if (scheme === "https" && host !== "localhost") expect(body["error"]).to.contain("public address");
        });
  });

  const DOMAINS = [["*"], ["*.example.com"], ["com"], [""], ["@corp.example"], ["corp.example/"], [], ["a b.example"]];
  for (const domains of DOMAINS)
    it(`attack: the domains ${JSON.stringify(domains)}`, async () => {
      expect((await setProvider(tenant, forged.issuer, { domains })).status).to.equal(400);
    });

  it("end the logins that another issuer began", async () => {
    const own = await freshOrganization(app);
    await setProvider(own, forged.issuer);
    const begun = await begin(own);
    const { refreshToken } = await finish(begun, answerOf(forged, begun.redirect));
    const next = await startForgedIssuer();
    expect((await setProvider(own, next.issuer)).status).to.equal(200);
    expect(await resumed(app.url, refreshToken)).to.equal(undefined);
    next.close();
  });

  it("are deleted with their organization, and with them the people", async () => {
    const { deleteOrganization, removeOrganization } = await import("../../server/jobs/deletion.ts");
    const own = await freshOrganization(app);
    await setProvider(own, forged.issuer);
    const begun = await begin(own);
    await finish(begun, answerOf(forged, begun.redirect));
    await begin(own);
    await deleteOrganization(app.runtime.db, own.organizationId, own.urlKey);
    await removeOrganization(app.runtime.db, own.organizationId);
    for (const table of ["oidcProvider", "oidcIdentity", "oidcOnce", "login"]) {
      const text = `select count(*)::int as rows from "${table}" where "organizationId" = $1`;
      const [left] = await app.runtime.db.query<{ rows: number }>({ text, values: [own.organizationId] });
      expect(left?.rows, table).to.equal(0);
    }
  });

  it("forget what counted once when its time is over", async () => {
    const { removeSpent } = await import("../../server/jobs/accounts.ts");
    await setProvider(tenant, forged.issuer);
    await begin(tenant);
    const rows = async () =>
      (
        await app.runtime.db.query({
          text: `select hash from "oidcOnce" where "organizationId" = $1`,
          values: [tenant.organizationId],
        })
      ).length;
    expect(await rows()).to.be.greaterThan(0);
    await removeSpent(app.runtime.db, Date.now() + 60 * 60 * 1000);
    expect(await rows()).to.equal(0);
  });
});
