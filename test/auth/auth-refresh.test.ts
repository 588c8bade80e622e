import { expect } from "chai";
import fc from "fast-check";
import { earlierSql } from "../support/db/database.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { callRestApi, createOrganization, type RestReply, startSharedServer } from "../support/server.ts";

describe("refresh tokens", () => {
  let url: string;
  before(async () => {
    ({ url } = await startSharedServer());
  });
  const refresh = (refreshToken: unknown): Promise<RestReply> =>
    callRestApi(url, "POST", "/api/auth/refresh", { body: { refreshToken } });
  const keys = (accessToken: unknown) =>
    callRestApi(url, "GET", "/api/api-keys", { headers: { Authorization: `Bearer ${accessToken}` } });
  const tokenOf = (reply: RestReply | undefined) => reply?.body["refreshToken"];

  it("are exchanged for new tokens for the same organization", async () => {
    const { refreshToken } = await createOrganization();
    const { status, body } = await refresh(refreshToken);
    expect(status).to.equal(200);
    expect((await keys(body["accessToken"])).status).to.equal(200);
  });

  it("leave one valid family after 50 parallel exchanges of a token", async () => {
    const { refreshToken } = await createOrganization();
    const siblings = await Promise.all(Array.from({ length: 50 }, () => refresh(refreshToken)));
    // All requests wait for the same row. On a busy machine, the server may refuse most with 503.
    const answered = siblings.filter(({ status }) => status === 200);
    expect(siblings.filter(({ status }) => ![200, 503].includes(status))).to.deep.equal([]);
    expect(answered.length).to.be.at.least(2);
    expect(new Set(answered.map(tokenOf)).size).to.equal(answered.length);
    const chosen = await refresh(tokenOf(answered.at(-1)));
    expect([chosen.status, (await refresh(tokenOf(chosen))).status]).to.deep.equal([200, 200]);
  });

  /** Moves the use of an account's tokens one minute into the past. */
  const age = async (email: string) => {
    const { db } = (await startSharedServer()).runtime;
    await db.query({
      text: `update "refreshToken" t set "rotatedAt" = ${earlierSql('"rotatedAt"', "interval '1 minute'")}, "retiredAt" = ${earlierSql('"retiredAt"', "interval '1 minute'")}
        from login l join account a on a.id = l."accountId" where l.id = t."loginId" and a.email = $1`,
      values: [email],
    });
  };

  it("retire sibling tokens on use, without revoking the family", async () => {
    const { refreshToken } = await createOrganization();
    const [used, other] = await Promise.all([refresh(refreshToken), refresh(refreshToken)]);
    const newest = await refresh(tokenOf(used));
    expect((await refresh(tokenOf(other))).status, "a retired token").to.equal(401);
    expect((await keys(newest.body["accessToken"])).status, "the login of the one used").to.equal(200);
    expect((await refresh(tokenOf(newest))).status, "and its newest token").to.equal(200);
  });

  it("revoke the family if a retired token is used later", async () => {
    const { refreshToken, email } = await createOrganization();
    const [used, other] = await Promise.all([refresh(refreshToken), refresh(refreshToken)]);
    const newest = await refresh(tokenOf(used));
    await age(email);
    expect((await refresh(tokenOf(other))).status).to.equal(401);
    expect((await refresh(tokenOf(newest))).status).to.equal(401);
  });

  it("never revoke the login of two tabs that refresh within 10 s of each other, in any order", async () => {
    const order = fc.array(fc.tuple(fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(order, async (rounds) => {
        const { refreshToken, email } = await createOrganization();
        let tabs: unknown[] = [refreshToken, refreshToken];
        for (const [together, swapped] of rounds) {
          const both = swapped ? [1, 0] : [0, 1];
          const now = together
            ? await Promise.all(both.map((tab) => refresh(tabs[tab])))
            : [await refresh(tabs[both[0] ?? 0]), await refresh(tabs[both[1] ?? 0])];
          const live = now.filter(({ status }) => status === 200);
          expect(live).to.have.length.at.least(1);
          // A tab with a retired token continues with the newest token.
          const newest = tokenOf(live[0]);
          tabs = [0, 1].map((tab) => tokenOf(now[both.indexOf(tab)]) ?? newest);
          await age(email);
        }
      }),
      { numRuns: scaleRuns(6) },
    );
  });

  it("revoke the family and its newest token if an old token is replayed", async () => {
    const { refreshToken, rest } = await createOrganization();
    const child = await refresh(refreshToken);
    const grandchild = await refresh(tokenOf(child));
    expect((await refresh(refreshToken)).status).to.equal(401);
    expect((await refresh(tokenOf(grandchild))).status).to.equal(401);
    expect((await keys(grandchild.body["accessToken"])).status).to.equal(401);
    expect((await rest("GET", "/api/api-keys")).status, "the first access token too").to.equal(401);
  });

  it("do not affect other logins of the account when a family is revoked", async () => {
    const { email, password, refreshToken } = await createOrganization();
    const other = await callRestApi(url, "POST", "/api/auth/login", { body: { email, password } });
    await refresh(tokenOf(await refresh(refreshToken)));
    await refresh(refreshToken);
    expect((await refresh(tokenOf(other))).status).to.equal(200);
  });

  it("are revoked by a logout, together with the access tokens", async () => {
    const { refreshToken, rest } = await createOrganization();
    await callRestApi(url, "POST", "/api/auth/logout", { body: { refreshToken } });
    expect((await refresh(refreshToken)).status).to.equal(401);
    expect((await rest("GET", "/api/api-keys")).status).to.equal(401);
  });

  it("are refused if the server never issued them", async () => {
    expect((await refresh("never-seen")).status).to.equal(401);
  });
});
