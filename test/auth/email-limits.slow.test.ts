import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { enforceRateLimits } from "../../server/accounts/throttle.ts";
import type { App } from "../../server/app.ts";
import { closeMailReceivers, type MailReceiver, startMailReceiver } from "../support/accounts/smtp.ts";
import { createDatabase } from "../support/db/postgres.ts";
import { inviteGuest } from "../support/members.ts";
import { callRestApi, closeOwnServers, createOrganization, startServer, type Tenant } from "../support/server.ts";
import { createRule, readRuleDeliveries, setMailServer } from "../support/stream/notices.ts";
import { createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const HOUR = 60 * 60_000;

describe("limits for emails through the operator's mail server", () => {
  let mail: MailReceiver;
  const servers: App[] = [];
  let fresh: Awaited<ReturnType<typeof createDatabase>> | undefined;
  let host = 0;
  before(async () => {
    mail = await startMailReceiver();
    const SMTP_URL = `smtp://127.0.0.1:${mail.port}?security=none`;
    const own = { SMTP_URL, MAIL_FROM: "Trackway <trackway@example.com>", LOGIN_THROTTLE: "on", TRUST_PROXY: "on" };
    // In a separate database. Servers of other tests, which have no mail server, would otherwise claim the
    // deliveries.
    fresh = process.env["TEST_DATABASE_URL"] ? await createDatabase() : undefined;
    const env = { ...own, ...(fresh && { DATABASE_URL: fresh.url }) };
    servers.push(await startServer(env));
    servers.push(fresh ? await startServer(env) : (servers[0] as App));
  });
  beforeEach(() => {
    mail.mails.length = 0;
    host += 1;
  });
  after(async () => {
    await closeMailReceivers();
    await closeOwnServers();
    await fresh?.drop();
  });

  const mailsTo = (email: string) => mail.mails.filter(({ to }) => to.includes(email));
  const request = (tenant: Tenant, method: string, path: string, from: string, body?: object) =>
    callRestApi(servers[Math.round(Math.random()) % 2]?.url ?? "", method, path, {
      ...(body && { body }),
      headers: { Authorization: `Bearer ${tenant.accessToken}`, "X-Forwarded-For": from },
    });
  const invite = async (tenant: Tenant, email: string, from = `198.51.100.${host}`) => {
    const { status, body } = await request(tenant, "POST", "/api/invitations", from, { email });
    expect([status, typeof body["token"]], JSON.stringify(body)).to.deep.equal([201, "string"]);
    return { id: String(body["id"]), mailed: body["mailed"] === true };
  };
  /** Increases the counts as if `times` emails had been sent before. */
  const spent = (of: string[], times: number) =>
    enforceRateLimits((servers[0] as App).runtime.db, [{ of, times, most: 1_000, windowMs: HOUR, refusal: "" }]);

  it("allow five invitations a day to an address, from any inviters", async () => {
    const [one, other, victim] = [
      await createOrganization(servers[0]),
      await createOrganization(servers[0]),
      `${randomUUID()}@victim.example`,
    ];
    let mailed = 0;
    for (let at = 0; at < 12; at += 1) {
      const tenant = at % 2 ? one : other;
      const invitation = await invite(tenant, victim, `198.51.100.${host}:${4_000 + at}`);
      mailed += Number(invitation.mailed);
      await request(tenant, "DELETE", `/api/invitations/${invitation.id}`, `198.51.100.${host}`);
    }
    expect([mailed, mailsTo(victim).length]).to.deep.equal([5, 5]);
  });

  it("apply per organization and per network, and the inviter still gets the link", async () => {
    const [tenant, other] = [await createOrganization(servers[0]), await createOrganization(servers[0])];
    const someone = () => `${randomUUID()}@example.com`;
    await spent(["emails of", tenant.organizationId], 198);
    const mine = await Promise.all(Array.from({ length: 6 }, () => invite(tenant, someone())));
    expect(mine.filter(({ mailed }) => mailed).length).to.be.within(1, 2);
    await spent(["invitations from", `203.0.113.${host}`], 58);
    const theirs = await Promise.all(Array.from({ length: 6 }, () => invite(other, someone(), `203.0.113.${host}:9`)));
    expect(theirs.filter(({ mailed }) => mailed).length).to.be.within(1, 2);
    expect((await invite(other, someone(), `192.0.2.${host}`)).mailed, "from elsewhere").to.equal(true);
  });

  describe("for notice rules", () => {
    let space: Workspace;
    beforeEach(async () => {
      space = await createWorkspaceIn(await createOrganization(servers[0]));
    });
    const watched = { condition: "issueState", issueStateTypes: ["completed"], channel: "email" };
    const test = (id: string) => space.does("noticeRuleTest", { id });
    const attempted = async (id: string, count = 1) => {
      for (;;) {
        const found = await readRuleDeliveries(space, id);
        if (found.filter(({ attempts }) => attempts.length > 0).length >= count) return found;
        await new Promise((resume) => setTimeout(resume, 20));
      }
    };

    it("send only to members, and report the other addresses of the rule", async () => {
      const victim = `${randomUUID()}@victim.example`;
      const id = await createRule(space, { ...watched, emails: [victim, space.email.toUpperCase()] });
      await test(id);
      await mail.until(() => mailsTo(space.email).length === 1);
      const errorOf = async (rule: string) =>
        (await space.gql(`{ noticeRule(id: "${rule}") { error } }`)).noticeRule.error;
      expect(await errorOf(id))
        .to.contain(`${victim} is not a member`)
        .and.not.contain(space.email);
      const others = await createRule(space, { ...watched, emails: [victim] });
      await test(others);
      const [delivery] = await attempted(others);
      expect(JSON.stringify(delivery)).to.contain("none of its addresses gets mail").and.not.contain(victim);
      expect(await errorOf(others)).to.contain(`${victim} is not a member`);
      expect(mailsTo(victim)).to.deep.equal([]);
    });

    it("stop emails to a removed member", async () => {
      const member = await inviteGuest(space);
      // The invitation was an email too.
      const notices = () => mailsTo(member.email).filter(({ headers }) => headers["subject"]?.startsWith("[Trackway]"));
      const id = await createRule(space, { ...watched, emails: [member.email] });
      await test(id);
      await mail.until(() => notices().length === 1);
      expect((await space.rest("DELETE", `/api/members/${member.id}`)).status).to.equal(200);
      await test(id);
      await attempted(id, 2);
      expect(notices()).to.have.length(1);
    });

    it("allow ten emails an hour to an unproved address, and delay the rest", async () => {
      const id = await createRule(space, { ...watched, emails: [space.email] });
      for (let at = 0; at < 14; at += 1) await test(id);
      const deliveries = await attempted(id, 14);
      expect(mailsTo(space.email)).to.have.length(10);
      const waiting = deliveries.filter(({ status }) => status === "pending");
      expect(waiting).to.have.length(4);
      expect(JSON.stringify(waiting[0])).to.contain("Too many emails to one of the recipients");
    });

    it("limit tests of rules from one network", async () => {
      const id = await createRule(space, { ...watched, emails: [space.email] });
      await spent(["notice tests from", "127.0.0.1"], 60);
      expect((await space.refuses("noticeRuleTest", { id })).code).to.equal("RATELIMITED");
      await (servers[0] as App).runtime.db.query({ text: "delete from throttle" });
      await test(id);
    });

    it("do not apply to the organization's own mail server", async () => {
      const own = await startMailReceiver();
      await setMailServer(space, own);
      const list = `${randomUUID()}@lists.example`;
      const id = await createRule(space, { ...watched, emails: [list] });
      for (let at = 0; at < 12; at += 1) await test(id);
      await own.until((all) => all.length === 12);
      expect(own.mails.every(({ to }) => to.join() === list)).to.equal(true);
    });
  });
});
