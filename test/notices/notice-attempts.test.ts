import { expect } from "chai";
import fc from "fast-check";
import { encryptSecret } from "../../server/auth/secret.ts";
import { formatEncryptionOwner } from "../../server/resources/notice-rule/rule.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { startSharedServer } from "../support/server.ts";
import { createRule, readRuleDeliveries } from "../support/stream/notices.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const PARTS = [
  "%E0%A4%A",
  "%",
  "%zz",
  "%00",
  "topic",
  "a b",
  "ü",
  "%2F",
  "..",
  ".",
  "?",
  "#",
  "?x=1",
  "#y",
  "@",
  ":",
  "%41",
];

describe("attempts to send a notice", () => {
  let space: Workspace;
  before(async () => {
    space = await createWorkspace();
  });
  after(closeReceivers);
  const db = async () => (await startSharedServer()).runtime.db;
  async function attempted(id: string) {
    for (;;) {
      const [newest] = await readRuleDeliveries(space, id);
      if (newest?.attempts[0]) return newest.attempts[0];
      await new Promise((resume) => setTimeout(resume, 20));
    }
  }

  it("reach ntfy at every address that a rule accepts, and a rule accepts only valid addresses", async () => {
    const receiver = await startReceiver();
    const { origin } = new URL(receiver.url);
    const address = fc
      .array(fc.constantFrom(...PARTS), { maxLength: 4 })
      .map((parts) => `${origin}/${parts.join("/")}`);
    let [taken, refused] = [0, 0];
    const check = async (url: string): Promise<void> => {
      const query =
        "mutation ($input: NoticeRuleCreateInput!) { noticeRuleCreate(input: $input) { noticeRule { id } } }";
      const input = { name: "x", condition: "leaseExpired", channel: "ntfy", url };
      const { data, errors } = await space.graphql(query, { input });
      if (errors) {
        refused += 1;
        expect([url, errors[0]?.extensions.code]).to.deep.equal([url, "INVALID_INPUT"]);
        return;
      }
      taken += 1;
      const { id } = data.noticeRuleCreate.noticeRule;
      await space.does("noticeRuleTest", { id });
      expect([url, (await attempted(id)).error]).to.deep.equal([url, null]);
      expect(receiver.received.at(-1)?.body.topic).to.match(/^[\w-]+$/);
      await space.does("noticeRuleDelete", { id });
    };
    for (const url of [`${origin}/topic`, `${origin}/%E0%A4%A`, `${origin}/`]) await check(url);
    await fc.assert(fc.asyncProperty(address, check), { numRuns: scaleRuns(60) });
    expect(taken).to.be.at.least(1);
    expect(refused).to.be.at.least(2);
  });

  it("fail if the stored address or the stored content is invalid", async () => {
    const receiver = await startReceiver();
    const post = { condition: "leaseExpired", channel: "ntfy", url: `${receiver.url.replace(/\/*$/, "")}/topic` };
    const stored = await createRule(space, post);
    const { secret: root } = (await startSharedServer()).runtime;
    await (await db()).query({
      text: `update "noticeRule" set "targetEncrypted" = $2 where id = $1`,
      values: [stored, encryptSecret(root, formatEncryptionOwner(stored, "target"), "https://example.com/%E0%A4%A")],
    });
    await space.does("noticeRuleTest", { id: stored });
    expect((await attempted(stored)).error).to.contain("its url must end with the name of a topic");
    for (const content of [
      "{}",
      "[]",
      "7",
      '{"notices": [null], "more": 0}',
      '{"notices": [{}], "more": 0}',
      '{"notices": 1}',
    ]) {
      const id = await createRule(space, post);
      await (await db()).query({
        text: `insert into delivery (id, "organizationId", "targetId", notices, "nextAttemptAt", "createdAt")
          values (gen_random_uuid(), $1, $2, $3, now(), now())`,
        values: [space.organizationId, id, content],
      });
      (await db()).wake.publish(space.organizationId);
      expect([content, (await attempted(id)).error]).to.deep.equal([
        content,
        "the server could not prepare the delivery; the server's log has the reason",
      ]);
    }
  });
});
