import { expect } from "chai";
import { resolveRecipients } from "../../server/resources/notice-rule/recipients.ts";
import { closeMailReceivers, startMailReceiver } from "../support/accounts/smtp.ts";
import { type Guest, joined } from "../support/members.ts";
import { ownServer } from "../support/own-server.ts";
import { closeOwnServers, freshOrganization, sendGraphQL, sharedServer } from "../support/server.ts";
import { deliveriesOf, makeRule, useMailServer } from "../support/stream/notices.ts";
import { freshWorkspace, type Workspace, workspaceOf } from "../support/workspace.ts";

const RULE = { condition: "leaseExpired", channel: "email" };
const STRANGER = "ops@stranger.test";

describe("recipients of notices", () => {
  after(async () => {
    await closeMailReceivers();
    await closeOwnServers();
  });
  const leave = (space: Workspace, { id }: Guest) => space.rest("DELETE", `/api/members/${id}`);
  const errorOf = async (space: Workspace, id: string) =>
    (await space.gql(`{ noticeRule(id: "${id}") { error } }`)).noticeRule.error;
  /** The newest delivery of a rule, once its first attempt was made. */
  async function tested(space: Workspace, id: string) {
    await space.does("noticeRuleTest", { id });
    for (;;) {
      const [newest] = await deliveriesOf(space, id);
      if (newest?.attempts[0]) return newest.attempts[0];
      await new Promise((resume) => setTimeout(resume, 20));
    }
  }

  it("are active members, and others by the organization's own mail server alone, whatever is stored", async () => {
    const { runtime } = await sharedServer();
    const space = await freshWorkspace();
    const [stays, left] = [await joined(space), await joined(space)];
    const agent = (await space.rest("POST", "/api/agents", { name: "Robot" })).body as { id: string };
    const [member, gone] = [stays.email, left.email];
    await leave(space, left);
    const robot = `${agent.id}@agents.invalid`;
    const all = [gone, STRANGER, member, robot, member.toUpperCase()];
    const resolved = () => resolveRecipients(runtime.db, space.organizationId, all);
    expect((await resolved()).to).to.deep.equal([member]);
    const id = await makeRule(space, { ...RULE, emails: all });
    expect(await errorOf(space, id))
      .to.contain(`${gone} has left the organization`)
      .and.contain(`${STRANGER} is no member`);
    await useMailServer(space, await startMailReceiver());
    expect((await resolved()).to).to.deep.equal([STRANGER, member, robot]);
    expect(await errorOf(space, id)).to.equal(`${gone} has left the organization: nothing is mailed there`);
    expect(await errorOf(space, await makeRule(space, { ...RULE, emails: [STRANGER] }))).to.equal(null);
  });

  it("of the server's own mail are members: a creator who left and a stranger get nothing, and the log says why", async () => {
    const mail = await startMailReceiver();
    const env = { SMTP_URL: `smtp://${mail.host}:${mail.port}?security=none`, MAIL_FROM: "Trackway <t@example.com>" };
    // In a database of its own: the servers of other tests, which have no mail server, would take deliveries too.
    const { app, end } = await ownServer(env);
    const space = await workspaceOf(await freshOrganization(app));
    const guest = await joined(space);
    await space.rest("PATCH", `/api/members/${guest.id}`, { role: "owner" });
    const create = `mutation { noticeRuleCreate(input: { name: "x", condition: leaseExpired, channel: email }) { noticeRule { id } } }`;
    const created = await sendGraphQL(space.url, `Bearer ${guest.accessToken}`, { query: create });
    const own = created.data.noticeRuleCreate.noticeRule.id;
    const foreign = await makeRule(space, { ...RULE, emails: [STRANGER, guest.email] });
    expect((await tested(space, own)).error).to.equal(null);
    const before = mail.mails.length;
    await leave(space, guest);
    for (const id of [own, foreign]) {
      const { error } = await tested(space, id);
      expect(error).to.contain("none of its addresses gets mail").and.not.contain("@");
      expect(await errorOf(space, id)).to.contain("has left the organization");
    }
    expect(mail.mails.map(({ to }) => to)).to.have.length(before);
    await end();
  });
});
