import { expect } from "chai";
import { resolveRecipients } from "../../server/resources/notice-rule/recipients.ts";
import { closeMailReceivers, startMailReceiver } from "../support/accounts/smtp.ts";
import { type Guest, inviteGuest } from "../support/members.ts";
import { startOwnServer } from "../support/own-server.ts";
import { closeOwnServers, createOrganization, sendGraphQL, startSharedServer } from "../support/server.ts";
import { createRule, readRuleDeliveries, setMailServer } from "../support/stream/notices.ts";
import { createWorkspace, createWorkspaceIn, type Workspace } from "../support/workspace.ts";

const RULE = { condition: "leaseExpired", channel: "email" };
const STRANGER = "ops@stranger.test";

describe("recipients of notice emails", () => {
  after(async () => {
    await closeMailReceivers();
    await closeOwnServers();
  });
  const leave = (space: Workspace, { id }: Guest) => space.rest("DELETE", `/api/members/${id}`);
  const errorOf = async (space: Workspace, id: string) =>
    (await space.gql(`{ noticeRule(id: "${id}") { error } }`)).noticeRule.error;
  /** Returns the newest delivery of a rule after the first attempt. */
  async function tested(space: Workspace, id: string) {
    await space.does("noticeRuleTest", { id });
    for (;;) {
      const [newest] = await readRuleDeliveries(space, id);
      if (newest?.attempts[0]) return newest.attempts[0];
      await new Promise((resume) => setTimeout(resume, 20));
    }
  }

  it("are active members; other addresses only through the organization's own mail server", async () => {
    const { runtime } = await startSharedServer();
    const space = await createWorkspace();
    const [stays, left] = [await inviteGuest(space), await inviteGuest(space)];
    const agent = (await space.rest("POST", "/api/agents", { name: "Robot" })).body as { id: string };
    const [member, gone] = [stays.email, left.email];
    await leave(space, left);
    const robot = `${agent.id}@agents.invalid`;
    const all = [gone, STRANGER, member, robot, member.toUpperCase()];
    const resolved = () => resolveRecipients(runtime.db, space.organizationId, all);
    expect((await resolved()).to).to.deep.equal([member]);
    const id = await createRule(space, { ...RULE, emails: all });
    expect(await errorOf(space, id))
      .to.contain(`${gone} has left the organization`)
      .and.contain(`${STRANGER} is not a member`);
    await setMailServer(space, await startMailReceiver());
    expect((await resolved()).to).to.deep.equal([STRANGER, member, robot]);
    expect(await errorOf(space, id)).to.equal(`${gone} has left the organization: nothing is mailed there`);
    expect(await errorOf(space, await createRule(space, { ...RULE, emails: [STRANGER] }))).to.equal(null);
  });

  it("of the server's mail server exclude a creator who left and strangers, and the log contains the reason", async () => {
    const mail = await startMailReceiver();
    const env = { SMTP_URL: `smtp://${mail.host}:${mail.port}?security=none`, MAIL_FROM: "Trackway <t@example.com>" };
    // In a separate database. Servers of other tests, which have no mail server, would otherwise claim the
    // deliveries.
    const { app, end } = await startOwnServer(env);
    const space = await createWorkspaceIn(await createOrganization(app));
    const guest = await inviteGuest(space);
    await space.rest("PATCH", `/api/members/${guest.id}`, { role: "owner" });
    const create = `mutation { noticeRuleCreate(input: { name: "x", condition: leaseExpired, channel: email }) { noticeRule { id } } }`;
    const created = await sendGraphQL(space.url, `Bearer ${guest.accessToken}`, { query: create });
    const own = created.data.noticeRuleCreate.noticeRule.id;
    const foreign = await createRule(space, { ...RULE, emails: [STRANGER, guest.email] });
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
