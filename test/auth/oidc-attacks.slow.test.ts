import { createHmac } from "node:crypto";
import { expect } from "chai";
import { generateKeyPair, SignJWT } from "jose";
import type { App } from "../../server/app.ts";
import {
  buildCallbackUrl,
  type ForgedIssuer,
  type RawHandler,
  startForgedIssuer,
} from "../support/accounts/forged-issuer.ts";
import {
  OIDC_CLIENT,
  type PendingProviderSignIn,
  requestOidcSignIn,
  requestProviderCallback,
  resumeLogin,
  type SignInResult,
  setProvider,
  startOidcServer,
} from "../support/accounts/oidc.ts";
import { callRestApi, createOrganization, logLines, type Tenant } from "../support/server.ts";

type Claims = Record<string, unknown>;

describe("OpenID sign-in under attack", () => {
  let app: App;
  let tenant: Tenant;
  let forged: ForgedIssuer;
  before(async () => {
    ({ app, tenant } = await startOidcServer());
    forged = await startForgedIssuer();
    expect((await setProvider(tenant, forged.issuer)).status).to.equal(200);
  });
  beforeEach(() => forged.reset());
  after(() => forged.close());

  const signIn = async (more: Record<string, string | undefined> = {}): Promise<SignInResult> => {
    const begun = await requestOidcSignIn(tenant);
    return requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect, more));
  };
  const expectRefused = (finished: SignInResult, reason: string) =>
    expect([finished.location, finished.refreshToken]).to.deep.equal([`/#refused=${reason}`, undefined]);

  it("control: accepts the same responses without manipulation", async () => {
    const { location, refreshToken } = await signIn();
    expect(location).to.equal("/");
    expect((await resumeLogin(app.url, refreshToken))?.["user"].email).to.equal("mallory@corp.example");
  });

  const now = () => Math.floor(Date.now() / 1000);
  const CLAIMS: [name: string, claims: () => Claims, reason: string][] = [
    ["another issuer", () => ({ iss: "https://login.example" }), "provider"],
    ["the issuer with a slash more", () => ({ iss: `${forged.issuer}/` }), "provider"],
    ["no issuer", () => ({ iss: undefined }), "provider"],
    ["another audience", () => ({ aud: "another client" }), "provider"],
    ["no audience", () => ({ aud: undefined }), "provider"],
    [
      "several audiences and another authorized party",
      () => ({ aud: [OIDC_CLIENT.clientId, "b"], azp: "b" }),
      "provider",
    ],
    ["several audiences and no authorized party", () => ({ aud: [OIDC_CLIENT.clientId, "b"] }), "provider"],
    ["another nonce", () => ({ nonce: "another nonce" }), "provider"],
    ["no nonce", () => ({ nonce: undefined }), "provider"],
    ["an end that has passed", () => ({ iat: now() - 900, exp: now() - 600 }), "provider"],
    ["no end", () => ({ exp: undefined }), "provider"],
    ["an end that is no number", () => ({ exp: "tomorrow" }), "provider"],
    ["a beginning in the future", () => ({ nbf: now() + 3_600 }), "provider"],
    ["no moment of issue", () => ({ iat: undefined }), "provider"],
    ["no subject", () => ({ sub: undefined }), "provider"],
    ["an empty subject", () => ({ sub: "" }), "provider"],
    ["a subject that is a list", () => ({ sub: ["mallory"] }), "provider"],
    ["a subject of 10,000 characters", () => ({ sub: "s".repeat(10_000) }), "provider"],
    ["a subject with a NUL", () => ({ sub: "mal\0lory" }), "provider"],
    ["an address that is not verified", () => ({ email_verified: false }), "unverified"],
    ["an address verified by a word", () => ({ email_verified: "true" }), "unverified"],
    ["an address verified by a number", () => ({ email_verified: 1 }), "unverified"],
    ["an address without a claim that it is verified", () => ({ email_verified: undefined }), "unverified"],
    ["another domain", () => ({ email: "mallory@else.example" }), "domain"],
    ["a subdomain", () => ({ email: "mallory@sub.corp.example" }), "domain"],
    ["a domain that ends the same", () => ({ email: "mallory@notcorp.example" }), "domain"],
    ["a domain that begins the same", () => ({ email: "mallory@corp.example.evil.example" }), "domain"],
    ["two at signs", () => ({ email: "mallory@else.example@corp.example" }), "provider"],
    ["a quoted domain", () => ({ email: '"mallory@corp.example"@else.example' }), "provider"],
    ["an address with a line break", () => ({ email: "mallory@corp.example\nBcc: x@y.example" }), "provider"],
    ["letters that look alike", () => ({ email: "mallory@cоrp.example" }), "provider"],
    ["an address that is a list", () => ({ email: ["mallory@corp.example"] }), "provider"],
  ];
  for (const [name, claims, reason] of CLAIMS)
    it(`refuses an ID token with ${name}`, async () => {
      forged.claims = claims();
      expectRefused(await signIn(), reason);
    });

  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const TOKENS: [name: string, make: (claims: Claims) => Promise<string> | string][] = [
    ["signed by a key of nobody", (claims) => signedBy("RS256", claims)],
    ["signed by a key of nobody under a published name", (claims) => signedBy("RS256", claims, forged.keys[0]?.kid)],
    ["signed by an algorithm that is not announced", (claims) => signedBy("ES256", claims)],
    ["of alg none", (claims) => `${encoded({ alg: "none" })}.${encoded(claims)}.`],
    ["of alg None, in other letters", (claims) => `${encoded({ alg: "nOnE" })}.${encoded(claims)}.`],
    ["without its signature", async (claims) => (await forged.sign(claims)).replace(/[^.]+$/, "")],
    ["with one letter of its signature changed", async (claims) => spoiled(await forged.sign(claims))],
    ["with claims exchanged under the signature", async (claims) => exchanged(await forged.sign(claims))],
    ["signed by the client's secret", (claims) => byMac(claims, OIDC_CLIENT.clientSecret)],
    ["signed by the public key as if it were a secret", (claims) => byMac(claims, JSON.stringify(forged.keys[0]))],
    ["with a key of its own in its header", async (claims) => ownKey(claims)],
    [
      "with a critical header that nobody knows",
      (claims) => forged.sign(claims, { crit: ["x"], x: 1 }).catch(() => "a.b.c"),
    ],
    ["that is no token", () => "not a token"],
    ["that is encrypted to nobody", () => `${encoded({ alg: "dir", enc: "A256GCM" })}....`],
  ];
  const signedBy = async (alg: string, claims: Claims, kid = "unknown") =>
    new SignJWT(claims).setProtectedHeader({ alg, kid }).sign((await generateKeyPair(alg)).privateKey);
  const spoiled = (token: string) => token.slice(0, -10) + (token.at(-10) === "A" ? "B" : "A") + token.slice(-9);
  const exchanged = (token: string) => {
    const [header, , signature] = token.split(".");
    const claims = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
    return `${header}.${encoded({ ...claims, sub: "the chief" })}.${signature}`;
  };
  const byMac = (claims: Claims, secret: string) => {
    const signed = `${encoded({ alg: "HS256", kid: forged.keys[0]?.kid })}.${encoded(claims)}`;
    return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
  };
  const ownKey = async (claims: Claims) => {
    const { privateKey } = await generateKeyPair("RS256");
    return new SignJWT(claims).setProtectedHeader({ alg: "RS256", jwk: forged.keys[0] ?? {} }).sign(privateKey);
  };
  for (const [name, make] of TOKENS)
    it(`refuses an ID token ${name}`, async () => {
      forged.idToken = make;
      expectRefused(await signIn(), "provider");
    });

  it("accepts new keys at once after the provider replaced its keys", async () => {
    await signIn();
    await forged.rotate();
    expect((await signIn()).location).to.equal("/");
  });

  it("refuses an ID token signed by a key that the provider has withdrawn", async () => {
    const byFormerKey = await forged.rotate();
    forged.idToken = (claims) => byFormerKey(claims);
    expectRefused(await signIn(), "provider");
    forged.idToken = (claims) => byFormerKey(claims, { kid: forged.keys[0]?.kid });
    expectRefused(await signIn(), "provider");
  });

  const ANSWERS: [name: string, more: () => Record<string, string | undefined>, reason: string][] = [
    ["another state", () => ({ state: `${tenant.organizationId}.${"s".repeat(32)}` }), "expired"],
    ["no state", () => ({ state: undefined }), "expired"],
    ["a state that is no id", () => ({ state: "-".repeat(36) }), "expired"],
    ["a state of 10,000 characters", () => ({ state: tenant.organizationId + "s".repeat(10_000) }), "expired"],
    ["the name of another issuer", () => ({ iss: "https://login.example" }), "provider"],
    ["no name of its issuer, which announced one", () => ({ iss: undefined }), "provider"],
    ["no code", () => ({ code: undefined }), "provider"],
    ["a refusal of the person", () => ({ code: undefined, error: "access_denied" }), "denied"],
    ["an error of the provider", () => ({ code: undefined, error: "<script>alert(1)</script>" }), "provider"],
  ];
  for (const [name, more, reason] of ANSWERS)
    it(`refuses a response with ${name}`, async () => expectRefused(await signIn(more()), reason));

  it("refuses a response with two states, two codes or two issuers", async () => {
    for (const name of ["state", "code", "iss"]) {
      const begun = await requestOidcSignIn(tenant);
      const back = buildCallbackUrl(forged, begun.redirect);
      back.searchParams.append(name, "another");
      expectRefused(await requestProviderCallback(begun, back), "provider");
    }
  });

  it("refuses a repeated response", async () => {
    const begun = await requestOidcSignIn(tenant);
    const back = buildCallbackUrl(forged, begun.redirect);
    expect((await requestProviderCallback(begun, back)).location).to.equal("/");
    expectRefused(await requestProviderCallback(begun, back), "expired");
  });

  it("accepts only one of two simultaneous copies of a response", async () => {
    const begun = await requestOidcSignIn(tenant);
    const back = buildCallbackUrl(forged, begun.redirect);
    const both = await Promise.all([requestProviderCallback(begun, back), requestProviderCallback(begun, back)]);
    expect(both.map(({ location }) => location).sort()).to.deep.equal(["/", "/#refused=expired"]);
  });

  it("refuses another code for a failed response", async () => {
    const begun = await requestOidcSignIn(tenant);
    expectRefused(
      await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect, { code: "a guess" })),
      "provider",
    );
    expectRefused(await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect)), "expired");
  });

  it("refuses the attacker's response in the browser of a victim", async () => {
    const attackers = await requestOidcSignIn(tenant);
    const victims = await requestOidcSignIn(tenant);
    const back = buildCallbackUrl(forged, attackers.redirect);
    expectRefused(await requestProviderCallback(attackers, back, victims.browser), "expired");
    expectRefused(await requestProviderCallback(attackers, back, ""), "expired");
  });

  it("refuses the code of one sign-in in the response to another", async () => {
    const [one, other] = [await requestOidcSignIn(tenant), await requestOidcSignIn(tenant)];
    const code = new URL(one.redirect).searchParams.get("nonce") ?? "";
    expectRefused(await requestProviderCallback(other, buildCallbackUrl(forged, other.redirect, { code })), "provider");
  });

  it("refuses the state of one organization from the provider of another", async () => {
    const other = await createOrganization(app);
    const honest = await startForgedIssuer();
    expect((await setProvider(other, honest.issuer)).status).to.equal(200);
    const begun = await requestOidcSignIn(other);
    // The attacker's provider responds to a sign-in that began at the honest provider.
    expectRefused(await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect)), "provider");
    const mixed = await requestOidcSignIn(other);
    const state = new URL(mixed.redirect).searchParams.get("state") ?? "";
    const moved = state.replace(other.organizationId, tenant.organizationId);
    expectRefused(
      await requestProviderCallback(mixed, buildCallbackUrl(forged, mixed.redirect, { state: moved })),
      "expired",
    );
    honest.close();
  });

  it("refuses a sign-in that took too long", async () => {
    const begun = await requestOidcSignIn(tenant);
    await app.runtime.db.query({ text: `update "oidcOnce" set "expiresAt" = now() - interval '1 second'` });
    expectRefused(await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect)), "expired");
  });

  it("refuses a sign-in if an owner removes the provider meanwhile", async () => {
    const other = await createOrganization(app);
    await setProvider(other, forged.issuer);
    const begun = await requestOidcSignIn(other);
    await other.rest("DELETE", "/api/oidc");
    expectRefused(await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect)), "expired");
  });

  it("refuses to continue a session that an attacker fixed before the sign-in", async () => {
    const begun = await requestOidcSignIn(tenant);
    const { cookies, refreshToken } = await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect));
    expect(refreshToken).not.to.equal(tenant.refreshToken);
    expect(cookies.join("\n")).to.match(
      /trackway_refresh_\d+=[\w-]{43}; Path=\/api\/auth; .*HttpOnly; SameSite=Strict/,
    );
    expect((await resumeLogin(app.url, tenant.refreshToken))?.["user"].email).to.equal(tenant.email);
  });

  const ELSEWHERE = [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/a\\..",
    "evil",
    "javascript:alert(1)",
    "",
    "/\n/x",
  ];
  for (const returnTo of ELSEWHERE)
    it(`refuses the open redirect to ${JSON.stringify(returnTo)}`, async () => {
      const body = { organization: tenant.urlKey, returnTo };
      expect((await callRestApi(app.url, "POST", "/api/auth/oidc/start", { body })).status).to.equal(400);
    });

  const hang: RawHandler = (_response, request) => void request.resume();
  const flood: RawHandler = (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    const piece = `"${"x".repeat(65_536)}",`;
    const more = () => {
      while (response.write(piece));
    };
    response.write("[");
    response.on("drain", more);
    more();
  };
  const elsewhere: RawHandler = (response) => void response.writeHead(302, { location: "http://127.0.0.1:9/" }).end();
  const html: RawHandler = (response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<p>hello</p>");
  for (const [what, page] of Object.entries({
    "answers without end": flood,
    redirects: elsewhere,
    "answers a page": html,
  }))
    for (const path of ["/.well-known/openid-configuration", "/jwks", "/token"])
      it(`refuses a provider that ${what} at ${path}`, async () => {
        const begun = await requestOidcSignIn(tenant);
        forged.pages.set(path, page);
        expectRefused(await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect)), "provider");
      });

  it("ends the wait for a provider that never responds", async () => {
    const begun = await requestOidcSignIn(tenant);
    forged.pages.set("/token", hang);
    expectRefused(await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect)), "provider");
  });

  const METADATA: [name: string, metadata: () => Claims][] = [
    ["the name of another issuer", () => ({ issuer: "https://login.example" })],
    ["a page that is a script", () => ({ authorization_endpoint: "javascript:alert(document.domain)" })],
    ["a page that is data", () => ({ authorization_endpoint: "data:text/html,hello" })],
    ["no page", () => ({ authorization_endpoint: undefined })],
  ];
  for (const [name, metadata] of METADATA)
    it(`refuses metadata with ${name}`, async () => {
      forged.metadata = metadata();
      const body = { organization: tenant.urlKey };
      expect((await callRestApi(app.url, "POST", "/api/auth/oidc/start", { body })).status).to.equal(503);
    });

  it("sends verifier and client secret only to the token endpoint", async () => {
    const begun: PendingProviderSignIn = await requestOidcSignIn(tenant);
    await requestProviderCallback(begun, buildCallbackUrl(forged, begun.redirect));
    const [form] = forged.asked;
    expect(form?.get("code_verifier")).to.match(/^[\w-]{43}$/);
    expect(begun.redirect).to.contain("code_challenge_method=S256").and.not.to.contain(form?.get("code_verifier"));
    const written = logLines.join("\n");
    for (const secret of [
      OIDC_CLIENT.clientSecret,
      form?.get("code") ?? "",
      form?.get("code_verifier") ?? "",
      begun.browser,
    ])
      expect(written).not.to.contain(secret);
  });
});
