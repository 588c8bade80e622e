import { expect } from "chai";
import { call, freshOrganization, type Reply, sharedServer } from "./support/server.ts";

describe("refresh tokens", () => {
  let url: string;
  before(async () => {
    ({ url } = await sharedServer());
  });
  const refresh = (refreshToken: unknown): Promise<Reply> =>
    call(url, "POST", "/api/auth/refresh", { body: { refreshToken } });
  const keys = (accessToken: unknown) =>
    call(url, "GET", "/api/api-keys", { headers: { Authorization: `Bearer ${accessToken}` } });
  const tokenOf = (reply: Reply | undefined) => reply?.body["refreshToken"];

  it("are traded for a pair that carries the same organization", async () => {
    const { refreshToken } = await freshOrganization();
    const { status, body } = await refresh(refreshToken);
    expect(status).to.equal(200);
    expect((await keys(body["accessToken"])).status).to.equal(200);
  });

  it("end in one live family when 50 calls trade one of them at once", async () => {
    const { refreshToken } = await freshOrganization();
    const siblings = await Promise.all(Array.from({ length: 50 }, () => refresh(refreshToken)));
    expect(siblings.filter(({ status }) => status === 200)).to.have.length(50);
    expect(new Set(siblings.map(tokenOf)).size).to.equal(50);
    const chosen = await refresh(tokenOf(siblings[7]));
    expect([chosen.status, (await refresh(tokenOf(chosen))).status]).to.deep.equal([200, 200]);
  });

  it("retire their siblings when one of them is used", async () => {
    const { refreshToken } = await freshOrganization();
    const [used, other] = await Promise.all([refresh(refreshToken), refresh(refreshToken)]);
    const newest = await refresh(tokenOf(used));
    expect((await refresh(tokenOf(other))).status).to.equal(401);
    expect((await refresh(tokenOf(newest))).status, "a retired token ends the family").to.equal(401);
  });

  it("end the family and its newest child when an older one is replayed", async () => {
    const { refreshToken, rest } = await freshOrganization();
    const child = await refresh(refreshToken);
    const grandchild = await refresh(tokenOf(child));
    expect((await refresh(refreshToken)).status).to.equal(401);
    expect((await refresh(tokenOf(grandchild))).status).to.equal(401);
    expect((await keys(grandchild.body["accessToken"])).status).to.equal(401);
    expect((await rest("GET", "/api/api-keys")).status, "the first access token too").to.equal(401);
  });

  it("leave other logins of the account alone when one family ends", async () => {
    const { email, password, refreshToken } = await freshOrganization();
    const other = await call(url, "POST", "/api/auth/login", { body: { email, password } });
    await refresh(tokenOf(await refresh(refreshToken)));
    await refresh(refreshToken);
    expect((await refresh(tokenOf(other))).status).to.equal(200);
  });

  it("end with a logout, and the access tokens with them", async () => {
    const { refreshToken, rest } = await freshOrganization();
    await call(url, "POST", "/api/auth/logout", { body: { refreshToken } });
    expect((await refresh(refreshToken)).status).to.equal(401);
    expect((await rest("GET", "/api/api-keys")).status).to.equal(401);
  });

  it("are refused when nobody handed them out", async () => {
    expect((await refresh("never-seen")).status).to.equal(401);
  });
});
