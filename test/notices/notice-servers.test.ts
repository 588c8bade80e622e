import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { checkNoticeRules } from "../../server/stream/notices/pass.ts";
import { describeOnPostgres } from "../support/db/postgres.ts";
import { startServer, startSharedServer } from "../support/server.ts";
import { createRule, readRuleDeliveries, SIGNING_SECRET } from "../support/stream/notices.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { createWorkspace } from "../support/workspace.ts";

const RULES = Array.from({ length: 12 }, (_, n) => `Rule ${n}`);

/**
 * Completes an issue for which every rule sends a message. Returns a function that reads the names of the rules that
 * sent a message.
 */
async function somethingHappens() {
  const space = await createWorkspace();
  const receiver = await startReceiver();
  const rules: string[] = [];
  for (const name of RULES) {
    const rule = { name, condition: "issueState", issueStateTypes: ["completed"] };
    rules.push(await createRule(space, { ...rule, channel: "webhook", url: receiver.url, secret: SIGNING_SECRET }));
  }
  const { id } = await space.issue();
  await space.does("issueUpdate", { id, input: { stateId: space.states["Done"] } });
  const sent = () => receiver.received.map(({ body }) => body.data.rule.name as string).sort();
  return { space, rules, receiver, sent };
}

/** Makes a server claim deliveries in two steps: read the due deliveries, then mark them as claimed. */
function claimByReading({ runtime: { db } }: App): () => void {
  const { query } = db;
  db.query = async (statement, deadline, as) => {
    if (statement.name !== "stream-claim") return query(statement, deadline, as);
    const text = statement.text
      .replace("for update skip locked", "")
      .replace(
        /update delivery d set .*\n\s*from sized s where (.*)\n\s*returning (.*\n.*?)d\."leasedUntil"/,
        'select $2$$3::timestamptz as "leasedUntil"',
      )
      .replace(
        '"leasedUntil", s.size',
        '"leasedUntil", s.size from delivery d, sized s where d."organizationId" = $1 and d.id = s.id and s.before < $7',
      );
    const { name: _, ...rest } = statement;
    const found = await query<any>({ ...rest, text }, deadline, as);
    await sleep(500);
    const values = [statement.values?.[0], statement.values?.[2], found.map(({ id }) => id)];
    const write = `update delivery set "leasedUntil" = $2, "nextAttemptAt" = $2 where "organizationId" = $1 and id = any($3::uuid[])`;
    await query({ text: write, values });
    return found;
  };
  return () => {
    db.query = query;
  };
}

describeOnPostgres("two servers that process the same notice rules", () => {
  let servers: App[];
  before(async () => {
    servers = [await startSharedServer(), await startServer()];
  });
  after(closeReceivers);

  it("send one message per event, and each message once", async () => {
    const { space, rules, receiver, sent } = await somethingHappens();
    await receiver.until((all) => all.length >= RULES.length);
    // A duplicate message could come from another pass of a server, or from a delivery that has not ended.
    for (let passes = 0; passes < 3; passes += 1)
      await Promise.all(
        servers.map(({ runtime: { db } }) => checkNoticeRules(db, space.organizationId, [], new Date())),
      );
    const deliveries = async () => (await Promise.all(rules.map((id) => readRuleDeliveries(space, id)))).flat();
    while ((await deliveries()).some(({ status }) => status !== "delivered")) await sleep(50);
    expect(await deliveries()).to.have.length(RULES.length);
    expect(sent()).to.deep.equal([...RULES].sort());
  });

  it("control: send some messages twice if they claim deliveries by reading and then writing", async () => {
    const undo = servers.map(claimByReading);
    try {
      const { receiver, sent } = await somethingHappens();
      await receiver.until(() => sent().length > new Set(sent()).size);
    } finally {
      for (const each of undo) each();
    }
  });
});
