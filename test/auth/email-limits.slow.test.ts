import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { countRates } from "../../server/accounts/throttle.ts";
import type { App } from "../../server/app.ts";
import { closeMailReceivers, type MailReceiver, startMailReceiver } from "../support/accounts/smtp.ts";
import { freshDatabase } from "../support/db/postgres.ts";
import { joined } from "../support/members.ts";
import { call, closeOwnServers, freshOrganization, startServer, type Tenant } from "../support/server.ts";
import { deliveriesOf, makeRule, useMailServer } from "../support/stream/notices.ts";
import { type Workspace, workspaceOf } from "../support/workspace.ts";

const HOUR = 60 * 60_000;

describe("emails through the operator's mail server", () => {
  let mail: MailReceiver;
  const servers: App[] = [];
  let fresh: Awaited<ReturnType<typeof freshDatabase>> | undefined;
  let host = 0;
  before(async () => {
    mail = await startMailReceiver();
    const SMTP_URL = `smtp://127.0.0.1:${mail.port}?security=none`;
    const own = { SMTP_URL, MAIL_FROM: "Trackway <trackway@example.com>", LOGIN_THROTTLE: "on", TRUST_PROXY: "on" };
    // In a database of its own: the servers of other tests, which have no mail server, would take deliveries too.
    fresh = process.env["TEST_DATABASE_URL"] ? await freshDatabase() : undefined;
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
    call(servers[Math.round(Math.random()) % 2]?.url ?? "", method, path, {
      ...(body && { body }),
      headers: { Authorization: `Bearer ${tenant.accessToken}`, "X-Forwarded-For": from },
    });
  const invite = async (tenant: Tenant, email: string, from = `198.51.100.${host}`) => {
    const { status, body } = await request(tenant, "POST", "/api/invitations", from, { email });
    expect([status, typeof body["token"]], JSON.stringify(body)).to.deep.equal([201, "string"]);
    return { id: String(body["id"]), mailed: body["mailed"] === true };
  };
  /** Counts as if so many had been sent before. */
  const spent = (of: string[], times: number) =>
    countRates((servers[0] as App).runtime.db, [{ of, times, most: 1_000, windowMs: HOUR, refusal: "" }]);

  it("reach an address five times a day by invitations, however often and by whom it is invited", async () => {
    const [one, other, victim] = [
      await freshOrganization(servers[0]),
      await freshOrganization(servers[0]),
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

  it("are limited for each organization and each network, and the inviter has the link all the same", async () => {
    const [tenant, other] = [await freshOrganization(servers[0]), await freshOrganization(servers[0])];
    const someone = () => `${randomUUID()}@example.com`;
    await spent(["emails of", tenant.organizationId], 198);
    const mine = await Promise.all(Array.from({ length: 6 }, () => invite(tenant, someone())));
    expect(mine.filter(({ mailed }) => mailed).length).to.be.within(1, 2);
    await spent(["invitations from", `203.0.113.${host}`], 58);
    const theirs = await Promise.all(Array.from({ length: 6 }, () => invite(other, someone(), `203.0.113.${host}:9`)));
    expect(theirs.filter(({ mailed }) => mailed).length).to.be.within(1, 2);
    expect((await invite(other, someone(), `192.0.2.${host}`)).mailed, "from elsewhere").to.equal(true);
  });

  describe("by a notice rule", () => {
    let space: Workspace;
    beforeEach(async () => {
      space = await workspaceOf(await freshOrganization(servers[0]));
    });
    const watched = { condition: "issueState", issueStateTypes: ["completed"], channel: "email" };
    const test = (id: string) => space.does("noticeRuleTest", { id });
    const attempted = async (id: string, count = 1) => {
      for (;;) {
        const found = await deliveriesOf(space, id);
        if (found.filter(({ attempts }) => attempts.length > 0).length >= count) return found;
        await new Promise((resume) => setTimeout(resume, 20));
      }
    };

    it("go to members alone, and say who else was named", async () => {
      const victim = `${randomUUID()}@victim.example`;
      const id = await makeRule(space, { ...watched, emails: [victim, space.email.toUpperCase()] });
      await test(id);
      await mail.until(() => mailsTo(space.email).length === 1);
      const errorOf = async (rule: string) =>
        (await space.gql(`{ noticeRule(id: "${rule}") { error } }`)).noticeRule.error;
      expect(await errorOf(id))
        .to.contain(`${victim} is no member`)
        .and.not.contain(space.email);
      const others = await makeRule(space, { ...watched, emails: [victim] });
      await test(others);
      const [delivery] = await attempted(others);
      expect(JSON.stringify(delivery)).to.contain("none of its addresses gets mail").and.not.contain(victim);
      expect(await errorOf(others)).to.contain(`${victim} is no member`);
      expect(mailsTo(victim)).to.deep.equal([]);
    });

    it("end for who is no member any more", async () => {
      const member = await joined(space);
      // The invitation went by email too.
      const notices = () => mailsTo(member.email).filter(({ headers }) => headers["subject"]?.startsWith("[Trackway]"));
      const id = await makeRule(space, { ...watched, emails: [member.email] });
      await test(id);
      await mail.until(() => notices().length === 1);
      expect((await space.rest("DELETE", `/api/members/${member.id}`)).status).to.equal(200);
      await test(id);
      await attempted(id, 2);
      expect(notices()).to.have.length(1);
    });

    it("reach an address that nobody has proved ten times an hour, and the rest waits", async () => {
      const id = await makeRule(space, { ...watched, emails: [space.email] });
      for (let at = 0; at < 14; at += 1) await test(id);
      const deliveries = await attempted(id, 14);
      expect(mailsTo(space.email)).to.have.length(10);
      const waiting = deliveries.filter(({ status }) => status === "pending");
      expect(waiting).to.have.length(4);
      expect(JSON.stringify(waiting[0])).to.contain("Too many emails to one of the recipients");
    });

    it("are not tested without end from one network", async () => {
      const id = await makeRule(space, { ...watched, emails: [space.email] });
      await spent(["notice tests from", "127.0.0.1"], 60);
      expect((await space.refuses("noticeRuleTest", { id })).code).to.equal("RATELIMITED");
      await (servers[0] as App).runtime.db.query({ text: "delete from throttle" });
      await test(id);
    });

    it("go to anybody by the organization's own mail server, uncounted", async () => {
      const own = await startMailReceiver();
      await useMailServer(space, own);
      const list = `${randomUUID()}@lists.example`;
      const id = await makeRule(space, { ...watched, emails: [list] });
      for (let at = 0; at < 12; at += 1) await test(id);
      await own.until((all) => all.length === 12);
      expect(own.mails.every(({ to }) => to.join() === list)).to.equal(true);
    });
  });
});
