import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { buildCallbackUrl, type ForgedIssuer, startForgedIssuer } from "../support/accounts/forged-issuer.ts";
import {
  OIDC_CLIENT,
  requestOidcSignIn,
  requestProviderCallback,
  resumeLogin,
  type SignInResult,
  setProvider,
  startOidcServer,
} from "../support/accounts/oidc.ts";
import { callRestApi, createOrganization, type RestReply, sendGraphQL, type Tenant } from "../support/server.ts";

describe("people who sign in through an OpenID provider", () => {
  let app: App;
  let forged: ForgedIssuer;
  before(async () => {
    ({ app } = await startOidcServer());
    forged = await startForgedIssuer();
  });
  beforeEach(() => forged.reset());
  after(() => forged.close());

  const GROUPS = {
    groupRoles: [
      { group: "admins", role: "owner" },
      { group: "staff", role: "member" },
    ],
  };
  const withProvider = async (more: object = {}): Promise<Tenant> => {
    const tenant = await createOrganization(app);
    const { status, body } = await setProvider(tenant, forged.issuer, {
      domains: ["corp.example", "example.com"],
      ...more,
    });
    if (status !== 200) throw new Error(JSON.stringify(body));
    return tenant;
  };
  let people = 0;
  /** A person without an account. */
  const newcomer = (more: object = {}) => {
    people += 1;
    return { sub: `person-${people}`, email: `person-${people}-${Date.now()}@corp.example`, ...more };
  };
  const signIn = async (tenant: Tenant, claims: object): Promise<SignInResult & { browser: string }> => {
    forged.claims = { ...claims };
    const { browser, ...begun } = await requestOidcSignIn(tenant);
    return {
      ...(await requestProviderCallback({ ...begun, browser }, buildCallbackUrl(forged, begun.redirect))),
      browser,
    };
  };
  const tokenOf = async ({ refreshToken }: SignInResult) =>
    String((await resumeLogin(app.url, refreshToken))?.["accessToken"]);
  const as = (token: string, method: string, path: string, body?: unknown): Promise<RestReply> =>
    callRestApi(app.url, method, path, { body, headers: { authorization: `Bearer ${token}` } });
  const viewer = async (token: string) => (await sendGraphQL(app.url, token, { query: "{ viewer { email } }" })).status;
  const roleOf = async (tenant: Tenant, email: string) => {
    const { members } = (await tenant.rest("GET", "/api/members")).body as {
      members: { email: string; role: string }[];
    };
    return members.find((member) => member.email === email)?.role;
  };
  /** An account with a password and the person's address. */
  const passwordAccount = async () => {
    const { email, password } = await createOrganization(app);
    return { email, password, sub: `sub of ${email}` };
  };
  const confirm = (finished: SignInResult & { browser: string }, password: string, more: object = {}) => {
    const code = /^\/#confirm=(.+)$/.exec(finished.location)?.[1];
    return callRestApi(app.url, "POST", "/api/auth/oidc/confirm", {
      body: { code, browser: finished.browser, password, ...more },
    });
  };

  describe("with an existing account that has a password", () => {
    it("enter the password once, and never again", async () => {
      const tenant = await withProvider();
      const { email, password, sub } = await passwordAccount();
      const first = await signIn(tenant, { email, sub });
      const { status, body } = await confirm(first, password);
      expect([status, (body["user"] as { email: string }).email]).to.deep.equal([200, email]);
      expect((await signIn(tenant, { email, sub })).location).to.equal("/");
      expect(await roleOf(tenant, email)).to.equal("member");
    });

    it("attack: linking an account without its password is refused", async () => {
      const tenant = await withProvider();
      const { email, sub } = await passwordAccount();
      const first = await signIn(tenant, { email, sub });
      expect(first.refreshToken).to.equal(undefined);
      expect((await confirm(first, "a guess")).status).to.equal(401);
      expect((await signIn(tenant, { email, sub })).location).to.match(/^\/#confirm=/);
    });

    it("attack: linking with the code in another browser is refused", async () => {
      const tenant = await withProvider();
      const { email, password, sub } = await passwordAccount();
      const first = await signIn(tenant, { email, sub });
      const { browser } = await requestOidcSignIn(tenant);
      expect((await confirm(first, password, { browser })).status).to.equal(401);
    });

    it("attack: a used code for linking is refused", async () => {
      const tenant = await withProvider();
      const { email, password, sub } = await passwordAccount();
      const first = await signIn(tenant, { email, sub });
      const both = await Promise.all([confirm(first, password), confirm(first, password)]);
      expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 401]);
    });

    it("attack: a malformed code, or one under another organization's id, is refused", async () => {
      const [tenant, other] = [await withProvider(), await withProvider()];
      const { email, password, sub } = await passwordAccount();
      const first = await signIn(tenant, { email, sub });
      const secret = first.location.split(".")[1];
      for (const code of [`${other.organizationId}.${secret}`, `x.${secret}`, "x", `${tenant.organizationId}.`])
        expect((await confirm(first, password, { code })).status, code).to.equal(401);
    });

    it("attack: another person with the address of a linked account is refused", async () => {
      const tenant = await withProvider();
      const { email, password, sub } = await passwordAccount();
      await confirm(await signIn(tenant, { email, sub }), password);
      const other = await signIn(tenant, { email, sub: "somebody else" });
      expect([other.refreshToken, other.location.split("=")[0]]).to.deep.equal([undefined, "/#confirm"]);
    });

    it("attack: another person with the address of an account without a password is refused", async () => {
      const tenant = await withProvider();
      const person = newcomer();
      await signIn(tenant, person);
      const other = await signIn(tenant, { ...person, sub: "somebody else" });
      expect(other.refreshToken).to.equal(undefined);
      for (const password of ["", "null", "undefined", "a password nobody has"])
        expect((await confirm(other, password)).status, password).to.be.oneOf([400, 401]);
    });

    it("attack: sign in to their own account when the provider reports the address of another account", async () => {
      const tenant = await withProvider();
      const person = newcomer();
      const mine = await resumeLogin(app.url, (await signIn(tenant, person)).refreshToken);
      // The provider reports a new address, which belongs to another account.
      const { email } = await passwordAccount();
      const again = await resumeLogin(app.url, (await signIn(tenant, { ...person, email })).refreshToken);
      expect(again?.["user"]).to.deep.equal(mine?.["user"]);
    });

    it("attack: guesses of the password count like guesses at any login", async () => {
      const { app: strict, tenant: other } = await startOidcServer({ LOGIN_THROTTLE: "on" });
      await setProvider(other, forged.issuer, { domains: ["example.com"] });
      forged.claims = { email: other.email, sub: "guesser" };
      const begun = await requestOidcSignIn(other);
      const finished = {
        ...(await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect))),
        browser: begun.browser,
      };
      const code = finished.location.split("=")[1];
      const guess = () =>
        callRestApi(strict.url, "POST", "/api/auth/oidc/confirm", {
          body: { code, browser: begun.browser, password: "a guess" },
        });
      const statuses = [];
      for (let n = 0; n < 12; n += 1) statuses.push((await guess()).status);
      expect(statuses.slice(-2)).to.deep.equal([429, 429]);
    });

    it("attack: repeated changes of the provider, which could make the server connect anywhere, are limited", async () => {
      const { tenant: other } = await startOidcServer({ LOGIN_THROTTLE: "on" });
      const change = { ...OIDC_CLIENT, issuer: "http://idp.example", domains: ["example.com"] };
      const statuses = [];
      for (let n = 0; n < 61; n += 1) statuses.push((await other.rest("PATCH", "/api/oidc", change)).status);
      expect(statuses).to.deep.equal([...Array(60).fill(400), 429]);
    });
  });

  describe("with groups", () => {
    it("become owners or members, or are refused", async () => {
      const tenant = await withProvider(GROUPS);
      const [chief, worker, stranger] = [newcomer({ groups: ["admins"] }), newcomer({ groups: "staff" }), newcomer()];
      await signIn(tenant, chief);
      await signIn(tenant, worker);
      expect((await signIn(tenant, stranger)).location).to.equal("/#refused=group");
      const roles = [chief, worker, stranger].map(({ email }) => roleOf(tenant, email));
      expect(await Promise.all(roles)).to.deep.equal(["owner", "member", undefined]);
    });

    it("attack: cannot use an address whose verification belongs to another address", async () => {
      const tenant = await withProvider(GROUPS);
      forged.pages.set("/userinfo", (response) => {
        const body = { sub: "mallory", email: "m@corp.example", email_verified: true, groups: ["admins"] };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
      const claims = { sub: "mallory", email: "chief@corp.example", email_verified: undefined };
      expect((await signIn(tenant, claims)).location).to.equal("/#refused=unverified");
    });

    it("attack: do not get the groups that the provider returns for another person", async () => {
      const tenant = await withProvider(GROUPS);
      forged.pages.set("/userinfo", (response) => {
        const body = { sub: "the chief", groups: ["admins"] };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
      expect((await signIn(tenant, newcomer())).location).to.equal("/#refused=provider");
    });

    it("change their role at the next sign-in", async () => {
      const tenant = await withProvider(GROUPS);
      const person = newcomer({ groups: ["admins", "staff"] });
      await signIn(tenant, person);
      await signIn(tenant, { ...person, groups: ["staff"] });
      expect(await roleOf(tenant, person.email)).to.equal("member");
    });

    it("attack: get no role from a similar group name or from a value that is no list", async () => {
      const tenant = await withProvider(GROUPS);
      for (const groups of [["Admins"], ["admins "], "admins,staff", ["admin"], []])
        expect((await signIn(tenant, newcomer({ groups }))).location, String(groups)).to.equal("/#refused=group");
      for (const groups of [{ admins: true }, [["admins"]], 7, Array(1_001).fill("admins")])
        expect((await signIn(tenant, newcomer({ groups }))).location).to.equal("/#refused=provider");
    });

    it("attack: lose session, key and membership when they lose the group", async () => {
      const tenant = await withProvider(GROUPS);
      const person = newcomer({ groups: ["staff"] });
      const token = await tokenOf(await signIn(tenant, person));
      const key = String((await as(token, "POST", "/api/api-keys", { label: "mine" })).body["token"]);
      expect([await viewer(`Bearer ${token}`), await viewer(key)]).to.deep.equal([200, 200]);
      expect((await signIn(tenant, { ...person, groups: ["others"] })).location).to.equal("/#refused=group");
      expect([await viewer(`Bearer ${token}`), await viewer(key)]).to.deep.equal([401, 401]);
      expect(await roleOf(tenant, person.email)).to.equal(undefined);
      await signIn(tenant, person);
      expect(await roleOf(tenant, person.email)).to.equal("member");
      expect(await viewer(key)).to.equal(401);
    });

    it("attack: stay owner as the last owner, but lose all credentials of the organization", async () => {
      const tenant = await withProvider(GROUPS);
      const person = newcomer({ groups: ["admins"] });
      const token = await tokenOf(await signIn(tenant, person));
      const { members } = (await tenant.rest("GET", "/api/members")).body as {
        members: { id: string; email: string }[];
      };
      const founder = members.find(({ email }) => email === tenant.email)?.id;
      expect((await as(token, "PATCH", `/api/members/${founder}`, { role: "member" })).status).to.equal(200);
      await signIn(tenant, { ...person, groups: ["staff"] });
      expect(await roleOf(tenant, person.email)).to.equal("owner");
      expect((await signIn(tenant, { ...person, groups: [] })).location).to.equal("/#refused=group");
      expect([await roleOf(tenant, person.email), await viewer(`Bearer ${token}`)]).to.deep.equal(["owner", 401]);
    });

    it("attack: two owners who lose their group at the same time leave one owner", async () => {
      const tenant = await withProvider(GROUPS);
      const [one, other] = [newcomer({ groups: ["admins"] }), newcomer({ groups: ["admins"] })];
      const token = await tokenOf(await signIn(tenant, one));
      await signIn(tenant, other);
      const { members } = (await tenant.rest("GET", "/api/members")).body as {
        members: { id: string; email: string }[];
      };
      const founder = members.find(({ email }) => email === tenant.email)?.id;
      await as(token, "DELETE", `/api/members/${founder}`);
      forged.claims = { ...one, groups: ["staff"] };
      const [first, second] = [await requestOidcSignIn(tenant), await requestOidcSignIn(tenant)];
      const ends = [requestProviderCallback(first, buildCallbackUrl(forged, first.redirect))];
      await ends[0];
      forged.claims = { ...other, groups: ["staff"] };
      await requestProviderCallback(second, buildCallbackUrl(forged, second.redirect));
      const left = await app.runtime.db.query<{ owners: number }>({
        text: `select count(*)::int as owners from "user" where "organizationId" = $1 and role = 'owner' and active`,
        values: [tenant.organizationId],
      });
      expect(left[0]?.owners).to.equal(1);
    });
  });

  it("attack: cannot return through the provider after an owner removed them", async () => {
    const tenant = await withProvider();
    const person = newcomer();
    const session = await resumeLogin(app.url, (await signIn(tenant, person)).refreshToken);
    await tenant.rest("DELETE", `/api/members/${session?.["user"].id}`);
    expect((await signIn(tenant, person)).location).to.equal("/#refused=removed");
    expect(await viewer(`Bearer ${session?.["accessToken"]}`)).to.equal(401);
  });

  it("attack: cannot create an account while sign-up is off", async () => {
    const { app: closed, tenant } = await startOidcServer({ SIGNUP: "off" });
    await setProvider(tenant, forged.issuer);
    forged.claims = newcomer();
    const begun = await requestOidcSignIn(tenant);
    expect((await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect))).location).to.equal(
      "/#refused=closed",
    );
    await closed.close();
  });

  describe("have a login for that organization only", () => {
    let tenant: Tenant;
    let victim: Tenant;
    let token: string;
    let refreshToken: string | undefined;
    before(async () => {
      tenant = await withProvider();
      victim = await createOrganization(app);
      const person = { email: victim.email, sub: "the victim" };
      await confirm(await signIn(tenant, person), victim.password);
      const finished = await signIn(tenant, person);
      ({ refreshToken } = finished);
      const session = await resumeLogin(app.url, refreshToken);
      [token, refreshToken] = [session?.["accessToken"], session?.["refreshToken"]];
    });

    it("attack: which cannot switch to another organization of the account", async () => {
      expect((await as(token, "POST", "/api/auth/switch", { organization: victim.urlKey })).status).to.equal(403);
    });

    it("attack: which cannot refresh into another organization of the account", async () => {
      const body = { refreshToken, organization: victim.urlKey };
      expect((await callRestApi(app.url, "POST", "/api/auth/refresh", { body })).status).to.equal(404);
    });

    it("attack: which cannot create an organization and so get unrestricted tokens", async () => {
      const body = { name: "Mine", urlKey: `mine-${Date.now()}` };
      expect((await as(token, "POST", "/api/organization", body)).status).to.equal(403);
    });

    it("attack: which cannot accept an invitation of another organization", async () => {
      const { token: invitation } = (await victim.rest("POST", "/api/invitations", { email: "x@corp.example" })).body;
      expect((await as(token, "POST", "/api/invitations/accept", { token: invitation })).status).to.equal(403);
    });

    it("attack: which cannot allow an app in another organization", async () => {
      const { createAuthorizationRequest } = await import("../support/accounts/oauth.ts");
      const { query } = await createAuthorizationRequest(app.url);
      const consent = (organizationId: string) =>
        fetch(`${app.url}/oauth/consent`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
          body: JSON.stringify({ query, decision: "allow", organizationId, scopes: ["read"] }),
        });
      expect((await consent(victim.organizationId)).status).to.equal(403);
      expect((await consent(tenant.organizationId)).status).to.equal(200);
    });
  });

  describe("if the organization allows only its provider", () => {
    const demanding = async () => {
      const tenant = await withProvider(GROUPS);
      const person = newcomer({ groups: ["admins"] });
      const token = await tokenOf(await signIn(tenant, person));
      const input = {
        issuer: forged.issuer,
        clientId: OIDC_CLIENT.clientId,
        domains: ["corp.example"],
        required: true,
      };
      expect((await as(token, "PATCH", "/api/oidc", { ...input, ...GROUPS })).status).to.equal(200);
      return { tenant, token, person };
    };

    it("make passwords useless for the organization, and revoke tokens of such logins", async () => {
      const { tenant, token } = await demanding();
      expect(await viewer(`Bearer ${tenant.accessToken}`)).to.equal(401);
      expect(await viewer(`Bearer ${token}`)).to.equal(200);
      const { email, password, urlKey: organization } = tenant;
      const { status, body } = await callRestApi(app.url, "POST", "/api/auth/login", {
        body: { email, password, organization },
      });
      expect([status, body["code"]]).to.deep.equal([403, "oidc_required"]);
      const plain = await callRestApi(app.url, "POST", "/api/auth/login", { body: { email, password } });
      expect((await resumeLogin(app.url, String(plain.body["refreshToken"])))?.["organization"]).to.equal(null);
      expect((await resumeLogin(app.url, tenant.refreshToken))?.["organization"]).to.equal(null);
    });

    it("attack: a password login cannot refresh, switch or allow an app", async () => {
      const { tenant } = await demanding();
      const { email, password, urlKey: organization } = tenant;
      const { body } = await callRestApi(app.url, "POST", "/api/auth/login", { body: { email, password } });
      const token = String(body["accessToken"]);
      expect((await as(token, "POST", "/api/auth/switch", { organization })).status).to.equal(403);
      const refresh = { refreshToken: body["refreshToken"], organization };
      expect((await callRestApi(app.url, "POST", "/api/auth/refresh", { body: refresh })).status).to.equal(403);
      const { createAuthorizationRequest, sendDecision } = await import("../support/accounts/oauth.ts");
      const { query } = await createAuthorizationRequest(app.url);
      expect((await sendDecision({ ...tenant, accessToken: token }, query)).status).to.equal(403);
    });

    it("attack: cannot require an untested provider, which would lock everybody out", async () => {
      const tenant = await withProvider();
      const { status, body } = await setProvider(tenant, forged.issuer, { required: true });
      expect([status, body["code"]]).to.deep.equal([409, "oidc_untried"]);
    });
  });

  describe("with back-channel logout", () => {
    const EVENT = "http://schemas.openid.net/event/backchannel-logout";
    const now = () => Math.floor(Date.now() / 1000);
    let number = 0;
    const usual = (claims: object) => {
      number += 1;
      return {
        iss: forged.issuer,
        aud: OIDC_CLIENT.clientId,
        iat: now(),
        jti: `token-${number}`,
        events: { [EVENT]: {} },
        ...claims,
      };
    };
    const send = async (tenant: Tenant, token: string) =>
      (
        await fetch(`${app.url}/api/auth/oidc/logout/${tenant.organizationId}`, {
          method: "POST",
          body: new URLSearchParams({ logout_token: token }),
        })
      ).status;
    const logOut = async (tenant: Tenant, claims: object, header: Record<string, unknown> = {}) =>
      send(tenant, await forged.sign(JSON.parse(JSON.stringify(usual(claims))), { typ: "logout+jwt", ...header }));

    it("are signed out of one session by its id, and keep their keys", async () => {
      const tenant = await withProvider();
      const person = newcomer();
      const [one, other] = [
        await tokenOf(await signIn(tenant, { ...person, sid: "one" })),
        await tokenOf(await signIn(tenant, { ...person, sid: "other" })),
      ];
      const key = String((await as(one, "POST", "/api/api-keys", { label: "mine" })).body["token"]);
      expect(await logOut(tenant, { sid: "one", sub: person.sub })).to.equal(200);
      expect([await viewer(`Bearer ${one}`), await viewer(`Bearer ${other}`), await viewer(key)]).to.deep.equal([
        401, 200, 200,
      ]);
    });

    it("are signed out of all sessions by their subject, and lose their keys", async () => {
      const tenant = await withProvider();
      const person = newcomer();
      const token = await tokenOf(await signIn(tenant, person));
      const key = String((await as(token, "POST", "/api/api-keys", { label: "mine" })).body["token"]);
      expect(await logOut(tenant, { sub: person.sub })).to.equal(200);
      expect([await viewer(`Bearer ${token}`), await viewer(key)]).to.deep.equal([401, 401]);
    });

    it("attack: a repeated logout token ends no later session", async () => {
      const tenant = await withProvider();
      const person = newcomer();
      await signIn(tenant, person);
      const token = await forged.sign(usual({ sub: person.sub }));
      expect(await send(tenant, token)).to.equal(200);
      const later = await tokenOf(await signIn(tenant, person));
      expect([await send(tenant, token), await viewer(`Bearer ${later}`)]).to.deep.equal([400, 200]);
    });

    const FORGED: [name: string, claims: () => object][] = [
      ["of another issuer", () => ({ iss: "https://login.example" })],
      ["for another client", () => ({ aud: "another" })],
      ["without events", () => ({ events: undefined })],
      ["with another event", () => ({ events: { "http://schemas.openid.net/event/other": {} } })],
      ["with events in a list", () => ({ events: [EVENT] })],
      ["with a nonce, as an ID token has it", () => ({ nonce: "n" })],
      ["without an id", () => ({ jti: undefined })],
      ["without a moment of issue", () => ({ iat: undefined })],
      ["that is old", () => ({ iat: now() - 3_600 })],
      ["that has ended", () => ({ exp: now() - 600 })],
      ["of the future", () => ({ iat: now() + 3_600 })],
      ["without subject and session", () => ({ sub: undefined })],
      ["with a subject that is a list", () => ({ sub: ["x"] })],
    ];
    for (const [name, claims] of FORGED)
      it(`attack: a logout token ${name} is refused`, async () => {
        const tenant = await withProvider();
        const person = newcomer();
        const token = await tokenOf(await signIn(tenant, person));
        expect(await logOut(tenant, { sub: person.sub, ...claims() })).to.equal(400);
        expect(await viewer(`Bearer ${token}`)).to.equal(200);
      });

    it("attack: logout tokens that the provider did not sign are refused", async () => {
      const tenant = await withProvider();
      const person = newcomer();
      const token = await tokenOf(await signIn(tenant, person));
      const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
      const claims = usual({ sub: person.sub });
      const byFormerKey = await forged.rotate();
      const bad = [
        await byFormerKey(claims),
        `${encoded({ alg: "none" })}.${encoded(claims)}.`,
        (await forged.sign(claims)).slice(0, -20),
        "",
        "x.y.z",
      ];
      for (const one of bad) expect(await send(tenant, one), one).to.equal(400);
      expect(await viewer(`Bearer ${token}`)).to.equal(200);
    });

    it("attack: an ID token sent as a logout token is refused", async () => {
      const tenant = await withProvider();
      const person = newcomer();
      const token = await tokenOf(await signIn(tenant, person));
      const idToken = await forged.sign({
        ...usual({ sub: person.sub, nonce: "n" }),
        exp: now() + 300,
        events: undefined,
      });
      expect([await send(tenant, idToken), await viewer(`Bearer ${token}`)]).to.deep.equal([400, 200]);
    });

    it("attack: a logout token of one organization sent to another's address is refused", async () => {
      const [tenant, other] = [await withProvider(), await createOrganization(app)];
      const person = newcomer();
      const token = await tokenOf(await signIn(tenant, person));
      expect(await logOut(other, { sub: person.sub })).to.equal(404);
      await setProvider(other, forged.issuer, { clientId: "another client" });
      expect(await logOut(other, { sub: person.sub })).to.equal(400);
      expect(await viewer(`Bearer ${token}`)).to.equal(200);
    });
  });
});
