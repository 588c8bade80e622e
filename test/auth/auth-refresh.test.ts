import { expect } from "chai";
import fc from "fast-check";
import { earlier } from "../support/db/database.ts";
import { runs } from "../support/run/runs.ts";
import { call, freshOrganization, type Reply, sharedServer } from "../support/server.ts";

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
    // All wait at one row: on a busy machine most may be refused with 503.
    const answered = siblings.filter(({ status }) => status === 200);
    expect(siblings.filter(({ status }) => ![200, 503].includes(status))).to.deep.equal([]);
    expect(answered.length).to.be.at.least(2);
    expect(new Set(answered.map(tokenOf)).size).to.equal(answered.length);
    const chosen = await refresh(tokenOf(answered.at(-1)));
    expect([chosen.status, (await refresh(tokenOf(chosen))).status]).to.deep.equal([200, 200]);
  });

  /** Makes what an account's tokens did look a minute older. */
  const age = async (email: string) => {
    const { db } = (await sharedServer()).runtime;
    await db.query({
      text: `update "refreshToken" t set "rotatedAt" = ${earlier('"rotatedAt"', "interval '1 minute'")}, "retiredAt" = ${earlier('"retiredAt"', "interval '1 minute'")}
        from login l join account a on a.id = l."accountId" where l.id = t."loginId" and a.email = $1`,
      values: [email],
    });
  };

  it("retire their siblings when one of them is used, which ends nothing by itself", async () => {
    const { refreshToken } = await freshOrganization();
    const [used, other] = await Promise.all([refresh(refreshToken), refresh(refreshToken)]);
    const newest = await refresh(tokenOf(used));
    expect((await refresh(tokenOf(other))).status, "a retired token").to.equal(401);
    expect((await keys(newest.body["accessToken"])).status, "the login of the one used").to.equal(200);
    expect((await refresh(tokenOf(newest))).status, "and its newest token").to.equal(200);
  });

  it("end the family when a retired one comes later", async () => {
    const { refreshToken, email } = await freshOrganization();
    const [used, other] = await Promise.all([refresh(refreshToken), refresh(refreshToken)]);
    const newest = await refresh(tokenOf(used));
    await age(email);
    expect((await refresh(tokenOf(other))).status).to.equal(401);
    expect((await refresh(tokenOf(newest))).status).to.equal(401);
  });

  it("never end the login of two tabs that refresh within 10 s of each other, in any order", async () => {
    const order = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(order, async (rounds) => {
        const { refreshToken, email } = await freshOrganization();
        let tabs: unknown[] = [refreshToken, refreshToken];
        for (const [together, swapped] of rounds) {
          const both = swapped ? [1, 0] : [0, 1];
          const now = together
            ? await Promise.all(both.map((tab) => refresh(tabs[tab])))
            : [await refresh(tabs[both[0] ?? 0]), await refresh(tabs[both[1] ?? 0])];
          const live = now.filter(({ status }) => status === 200);
          expect(live).to.have.length.at.least(1);
          // A tab whose token was retired takes the newest one there is.
          const newest = tokenOf(live[0]);
          tabs = [0, 1].map((tab) => tokenOf(now[both.indexOf(tab)]) ?? newest);
          await age(email);
        }
      }),
      { numRuns: runs(6) },
    );
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
