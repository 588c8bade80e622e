import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import type { App } from "../../server/app.ts";
import { describeOnPostgres } from "../support/db/postgres.ts";
import { sharedServer, startServer } from "../support/server.ts";
import { makeRule, SECRET } from "../support/stream/notices.ts";
import { closeReceivers, startReceiver } from "../support/stream/receiver.ts";
import { freshWorkspace } from "../support/workspace.ts";

const RULES = Array.from({ length: 12 }, (_, n) => `Rule ${n}`);

/** Completes an issue that every rule has a message about. Answers how to read the names of the rules that sent one. */
async function somethingHappens() {
  const space = await freshWorkspace();
  const receiver = await startReceiver();
  for (const name of RULES)
    await makeRule(space, {
      ...{ name, condition: "issueState", issueStateTypes: ["completed"] },
      ...{ channel: "webhook", url: receiver.url, secret: SECRET },
    });
  const { id } = await space.issue();
  await space.does("issueUpdate", { id, input: { stateId: space.states["Done"] } });
  const sent = () => receiver.received.map(({ body }) => body.data.rule.name as string).sort();
  return { receiver, sent };
}

/** Has a server claim deliveries by reading those that are due, and then writing that they are its own. */
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

describeOnPostgres("two servers that look after the same notice rules", function () {
  this.timeout(120_000);
  let servers: App[];
  before(async () => {
    servers = [await sharedServer(), await startServer()];
  });
  after(closeReceivers);

  it("send one message of each thing that happened, and each message once", async () => {
    const { receiver, sent } = await somethingHappens();
    await receiver.until((all) => all.length >= RULES.length);
    // A second message would come with the next pass of the other server, or its next read of the queue.
    await sleep(12_000);
    expect(sent()).to.deep.equal([...RULES].sort());
  });

  it("would send some twice if they claimed a delivery by reading and then writing", async () => {
    const undo = servers.map(claimByReading);
    try {
      const { receiver, sent } = await somethingHappens();
      await receiver.until(() => sent().length > new Set(sent()).size);
    } finally {
      for (const each of undo) each();
    }
  });
});
