import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { makeRule, SECRET } from "../support/notices.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { closeReceivers, startReceiver } from "../support/receiver.ts";
import { startServer } from "../support/server.ts";
import { freshWorkspace } from "../support/workspace.ts";

describeOnPostgres("two servers that look after the same notice rules", function () {
  this.timeout(120_000);
  // Beside the one that the tests share.
  before(() => startServer());
  after(closeReceivers);

  it("send one message of each thing that happened, and each message once", async () => {
    const space = await freshWorkspace();
    const receiver = await startReceiver();
    const rules = 12;
    for (let n = 0; n < rules; n += 1)
      await makeRule(space, {
        ...{ name: `Rule ${n}`, condition: "issueState", issueStateTypes: ["completed"] },
        ...{ channel: "webhook", url: receiver.url, secret: SECRET },
      });
    const { id } = await space.issue();
    await space.does("issueUpdate", { id, input: { stateId: space.states["Done"] } });
    await receiver.until((all) => all.length >= rules);
    // A second message would come with the next pass of the other server, or its next read of the queue.
    await sleep(12_000);
    const names = receiver.received.map(({ body }) => body.data.rule.name);
    expect(names.sort()).to.deep.equal(Array.from({ length: rules }, (_, n) => `Rule ${n}`).sort());
  });
});
