import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { createPersonalKey } from "../../server/accounts/keys/personal-key.ts";
import type { App } from "../../server/app.ts";
import { buildCallbackUrl, type ForgedIssuer, startForgedIssuer } from "../support/accounts/forged-issuer.ts";
import { createAuthorizationRequest, exchangeCode, obtainCode } from "../support/accounts/oauth.ts";
import {
  requestOidcSignIn,
  requestProviderCallback,
  resumeLogin,
  setProvider,
  startOidcServer,
} from "../support/accounts/oidc.ts";
import { closeMailReceivers, type MailReceiver, startMailReceiver } from "../support/accounts/smtp.ts";
import { callRestApi, closeOwnServers, createOrganization, sendGraphQL, type Tenant } from "../support/server.ts";

const HERS = "a password of her own";

describe("an account that a stranger registered with another person's address", () => {
  let mail: MailReceiver;
  let app: App;
  let forged: ForgedIssuer;
  before(async () => {
    mail = await startMailReceiver();
    const SMTP_URL = `smtp://127.0.0.1:${mail.port}?security=none`;
    ({ app } = await startOidcServer({ SMTP_URL, MAIL_FROM: "Trackway <trackway@example.com>" }));
    forged = await startForgedIssuer();
  });
  beforeEach(() => forged.reset());
  after(async () => {
    forged.close();
    await closeMailReceivers();
    await closeOwnServers();
  });

  const post = (path: string, body: object, token?: string) =>
    callRestApi(app.url, "POST", `/api/${path}`, { body, headers: token ? { Authorization: `Bearer ${token}` } : {} });
  /** Returns the text after a mark in the newest email to an address. */
  const emailed = async (email: string, mark: string) => {
    const found = () => mail.mails.filter(({ to, text }) => to.includes(email) && text.includes(mark)).at(-1);
    await mail.until(() => found() !== undefined);
    return new RegExp(`${mark}=([\\w-]+)`).exec(found()?.text ?? "")?.[1] ?? "";
  };
  const linkFor = async (email: string) => {
    mail.mails.length = 0;
    expect((await post("auth/password-reset", { email })).status).to.equal(202);
    return emailed(email, "#reset");
  };
  const choose = (token: string, more: object = {}) =>
    post("auth/password-reset/confirm", { token, password: HERS, ...more });

  /**
   * Creates an account that a stranger registered with someone else's address, with every kind of credential and
   * membership.
   */
  const squatted = async () => {
    const [own, company] = [await createOrganization(app), await createOrganization(app)];
    const { email } = own;
    const { token } = (await company.rest("POST", "/api/invitations", { email })).body as { token: string };
    const joined = await post("invitations/accept", { token }, own.accessToken);
    const access = String(joined.body["accessToken"]);
    const { body: key } = await post("api-keys", { label: "in the company" }, access);
    const request = await createAuthorizationRequest(app.url);
    const app1 = await exchangeCode(app.url, request, await obtainCode(own, request));
    const credentials = {
      "key of his organization": own.apiKey,
      "key of the company": String(key["token"]),
      "token of his login": own.accessToken,
      "token of his login at the company": access,
      "connected app": String(app1.body.access_token),
    };
    return { email, own, company, credentials, refresh: [own.refreshToken, String(joined.body["refreshToken"])] };
  };
  type Squatted = Awaited<ReturnType<typeof squatted>>;
  const opened = async ({ credentials }: Squatted) => {
    const query = "{ viewer { id } }";
    const statuses: Record<string, boolean> = {};
    for (const [name, credential] of Object.entries(credentials)) {
      const authorization = credential.startsWith("trk_api_") ? credential : `Bearer ${credential}`;
      statuses[name] = (await sendGraphQL(app.url, authorization, { query })).data?.viewer !== undefined;
    }
    return Object.entries(statuses).flatMap(([name, opens]) => (opens ? [name] : []));
  };
  const refreshes = async ({ refresh }: Squatted) =>
    Promise.all(refresh.map(async (refreshToken) => (await post("auth/refresh", { refreshToken })).status));
  const membersOf = async (tenant: Tenant) => {
    const rows = await app.runtime.db.query<{ email: string }>({
      text: `select email from "user" where "organizationId" = $1 and active`,
      values: [tenant.organizationId],
    });
    return rows.map(({ email }) => email);
  };

  it("belongs to the person with the first emailed link, and every credential of the stranger is revoked", async () => {
    const stranger = await squatted();
    const { email, own, company } = stranger;
    expect(await opened(stranger)).to.have.length(5);
    expect((await post("auth/signup", { email, password: HERS, name: "Ada" })).body).to.include({
      code: "email_taken",
    });
    const { status, body } = await choose(await linkFor(email));
    expect([status, (body["user"] as { email: string }).email]).to.deep.equal([200, email]);
    expect(await opened(stranger)).to.deep.equal([]);
    expect(await refreshes(stranger)).to.deep.equal([401, 401]);
    expect((await post("auth/login", { email, password: own.password })).status).to.equal(401);
    expect([...(await membersOf(own)), ...(await membersOf(company))]).to.deep.equal([company.email]);
    // The owner of the address is signed in, belongs to none of the stranger's organizations, and creates an
    // organization.
    const logged = await post("auth/login", { email, password: HERS });
    expect(logged.status).to.equal(200);
    const urlKey = `hers-${randomUUID()}`.slice(0, 20);
    expect((await post("organization", { name: "Hers", urlKey }, String(logged.body["accessToken"]))).status).to.equal(
      201,
    );
    // After the first proof of the address, later links leave the account's memberships unchanged.
    const again = await choose(await linkFor(email));
    const { body: session } = await post("auth/session", { refreshToken: again.body["refreshToken"] });
    expect((session["organization"] as { urlKey: string } | null)?.urlKey).to.equal(urlKey);
  });

  it("does not keep the person from accepting an invitation", async () => {
    const { email } = await squatted();
    const company = await createOrganization(app);
    const { token } = (await company.rest("POST", "/api/invitations", { email })).body as { token: string };
    const taken = await post("invitations/accept", { token, name: "Ada", password: HERS });
    expect(taken.body).to.include({ code: "email_taken" });
    const { body } = await choose(await linkFor(email));
    expect((await post("invitations/accept", { token }, String(body["accessToken"]))).status).to.equal(200);
    expect(await membersOf(company)).to.include(email);
  });

  it("does not keep the person from company sign-in, and the stranger's provider no longer signs in", async () => {
    const domains = ["victim.example"];
    const [strangers, company] = [await createOrganization(app), await createOrganization(app)];
    for (const tenant of [strangers, company]) await setProvider(tenant, forged.issuer, { domains });
    const person = { email: `ada-${randomUUID()}@victim.example`, sub: randomUUID() };
    const signIn = async (tenant: Tenant, claims: object) => {
      forged.claims = { ...claims };
      const begun = await requestOidcSignIn(tenant);
      return {
        ...(await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect))),
        browser: begun.browser,
      };
    };
    const first = await signIn(strangers, person);
    expect(await resumeLogin(app.url, first.refreshToken)).to.have.property("accessToken");
    const { body } = await choose(await linkFor(person.email));
    expect((body["user"] as { email: string }).email).to.equal(person.email);
    expect(await membersOf(strangers)).to.not.include(person.email);
    expect((await post("auth/refresh", { refreshToken: String(first.refreshToken) })).status).to.equal(401);
    // The stranger's provider reports the address again. The server demands the password of the account.
    expect((await signIn(strangers, person)).location).to.match(/^\/#confirm=/);
    const hers = await signIn(company, person);
    const code = /^\/#confirm=(.+)$/.exec(hers.location)?.[1];
    const joined = await post("auth/oidc/confirm", { code, browser: hers.browser, password: HERS });
    expect(joined.status).to.equal(200);
    expect((await signIn(company, person)).location).to.equal("/");
  });

  it("keeps everything if its holder confirms having created it, and the address counts as proved", async () => {
    const holder = await squatted();
    expect((await choose(await linkFor(holder.email), { keepAccess: true })).status).to.equal(200);
    const kept = ["key of his organization", "key of the company", "connected app"];
    expect(await opened(holder)).to.have.members(kept);
    expect((await choose(await linkFor(holder.email))).status).to.equal(200);
    expect(await opened(holder)).to.have.members(kept);
  });

  it("is not proved by the token of an invitation, which the inviter can see", async () => {
    const [company, email] = [await createOrganization(app), `${randomUUID()}@example.com`];
    const { token } = (await company.rest("POST", "/api/invitations", { email })).body as { token: string };
    const joined = await post("invitations/accept", { token, name: "Mallory", password: "a password of his" });
    expect(joined.status).to.equal(200);
    const { body } = await choose(await linkFor(email));
    expect(body).to.have.property("accessToken");
    expect(await membersOf(company)).to.deep.equal([company.email]);
    expect((await post("auth/refresh", { refreshToken: String(joined.body["refreshToken"]) })).status).to.equal(401);
  });

  it("is taken over by whoever uses the link first, and keys created meanwhile are revoked", async () => {
    const { email, own } = await squatted();
    const token = await linkFor(email);
    const [{ db }, { id }] = [app.runtime, (await own.gql("{ viewer { id } }")).viewer];
    const busy = Array.from({ length: 10 }, (_, at) =>
      createPersonalKey(db, { organizationId: own.organizationId, userId: id, label: `${at}` }).then(
        (made) => made.token,
        () => "trk_api_",
      ),
    );
    const [both, keys] = await Promise.all([
      Promise.all([choose(token), choose(token, { password: "another password" })]),
      Promise.all(busy),
    ]);
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 401]);
    for (const key of keys)
      expect((await sendGraphQL(app.url, key, { query: "{ viewer { id } }" })).data).to.equal(undefined);
  });
});
