import { expect } from "chai";
import { base64url, SignJWT } from "jose";
import type { App } from "../../server/app.ts";
import { callRestApi, createOrganization, sendGraphQL, startSharedServer, type Tenant } from "../support/server.ts";

const encode = (value: object) => base64url.encode(JSON.stringify(value));
const claimsOf = (token: string) => JSON.parse(new TextDecoder().decode(base64url.decode(token.split(".")[1] ?? "")));

describe("access tokens", () => {
  let app: App;
  let tenant: Tenant;
  before(async () => {
    app = await startSharedServer();
    tenant = await createOrganization();
  });
  const statusOf = async (token: string) =>
    (await callRestApi(app.url, "GET", "/api/api-keys", { headers: { Authorization: `Bearer ${token}` } })).status;
  const signed = (claims: object, key: Uint8Array, header = { alg: "HS256", typ: "JWT" }) =>
    new SignJWT({ ...claims }).setProtectedHeader(header).sign(key);

  it("are accepted as issued, and when signed again with the right key", async () => {
    const again = await signed(claimsOf(tenant.accessToken), app.runtime.secret);
    expect([await statusOf(tenant.accessToken), await statusOf(again)]).to.deep.equal([200, 200]);
  });

  it("are refused without a signature (alg none)", async () => {
    const [, payload] = tenant.accessToken.split(".");
    expect(await statusOf(`${encode({ alg: "none", typ: "JWT" })}.${payload}.`)).to.equal(401);
  });

  it("are refused with a wrong key, and with another algorithm", async () => {
    const claims = claimsOf(tenant.accessToken);
    expect(await statusOf(await signed(claims, new TextEncoder().encode("w".repeat(64))))).to.equal(401);
    expect(await statusOf(await signed(claims, app.runtime.secret, { alg: "HS384", typ: "JWT" }))).to.equal(401);
  });

  it("are refused after they expire", async () => {
    const past = Math.floor(Date.now() / 1000) - 1;
    const claims = { ...claimsOf(tenant.accessToken), iat: past - 900, exp: past };
    expect(await statusOf(await signed(claims, app.runtime.secret))).to.equal(401);
  });

  it("are refused with the id of another organization in the claim", async () => {
    const { organizationId } = await createOrganization();
    const [header, , signature] = tenant.accessToken.split(".");
    const swapped = { ...claimsOf(tenant.accessToken), org: organizationId };
    expect(await statusOf(`${header}.${encode(swapped)}.${signature}`)).to.equal(401);
    expect(await statusOf(await signed(swapped, app.runtime.secret)), "even well signed").to.equal(401);
  });

  it("are refused if their login belongs to another account", async () => {
    const other = await createOrganization();
    const claims = { ...claimsOf(tenant.accessToken), sid: claimsOf(other.accessToken).sid };
    expect(await statusOf(await signed(claims, app.runtime.secret))).to.equal(401);
  });

  it("cannot be replaced by a personal key on the control plane", async () => {
    expect(await statusOf(tenant.apiKey)).to.equal(401);
  });

  it("need the scheme Bearer on /graphql, where a personal key is also accepted without a scheme", async () => {
    const query = "{ viewer { id } }";
    const statuses = await Promise.all(
      [tenant.apiKey, `Bearer ${tenant.apiKey}`, `Bearer ${tenant.accessToken}`, tenant.accessToken].map(
        async (credential) => (await sendGraphQL(app.url, credential, { query })).status,
      ),
    );
    expect(statuses).to.deep.equal([200, 200, 200, 401]);
  });
});
