import { expect } from "chai";
import { removeObsoleteAccountRows } from "../../server/jobs/accounts.ts";
import { callRestApi, createOrganization, startSharedServer } from "../support/server.ts";

const OLD = new Date(Date.now() - 500 * 24 * 60 * 60 * 1000);

describe("maintenance of accounts", () => {
  it("removes expired logins and old audit entries, and keeps all others", async () => {
    const { db } = (await startSharedServer()).runtime;
    const [spent, kept] = await Promise.all([createOrganization(), createOrganization()]);
    const ofThese = `select l.id from login l join account a on a.id = l."accountId" where a.email = any($1)`;
    const logins = async () => {
      const rows = await db.query({ text: ofThese, values: [[spent.email, kept.email]] });
      return rows.length;
    };
    await callRestApi(spent.url, "POST", "/api/auth/logout", { body: { refreshToken: spent.refreshToken } });
    await db.query({
      text: `update login set "revokedAt" = $1 where "accountId" = (select id from account where email = $2)`,
      values: [OLD, spent.email],
    });
    await db.query({
      text: `update audit set "createdAt" = $1 where "organizationId" = $2`,
      values: [OLD, spent.organizationId],
    });
    const removed = [await logins(), await removeObsoleteAccountRows(db), await logins()];
    expect([removed[0], removed[2]]).to.deep.equal([2, 1]);
    expect(removed[1]).to.be.at.least(4);
    const audits = await db.query({
      text: `select from audit where "organizationId" = $1`,
      values: [spent.organizationId],
    });
    expect(audits).to.deep.equal([]);
    expect(
      (await callRestApi(kept.url, "POST", "/api/auth/refresh", { body: { refreshToken: kept.refreshToken } })).status,
    ).to.equal(200);
  });
});
