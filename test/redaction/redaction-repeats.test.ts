import { expect } from "chai";
import { createEvent, createWriter, type IngestWriter } from "../support/recording/ingest.ts";
import { startSharedServer } from "../support/server.ts";
import { random } from "./corpus/random.ts";

const SECRET = `ghp_${random(7).chars("0123456789abcdefXYZ", 36)}`;

/** Writes a text into a stored event, as if other rules had redacted the text. */
async function rewrite({ organizationId }: IngestWriter, id: string, args: string): Promise<void> {
  const { runtime } = await startSharedServer();
  const text = "update recorded_event set args = $3 where organization_id = $1 and event_id = $2";
  await runtime.db.query({ text, values: [organizationId, id, args] });
}

describe("a repeated event after the redaction rules changed", () => {
  const args = `login --token ${SECRET} --region eu`;
  const changes: [string, string][] = [
    ["new rules take out more", args],
    ["old rules took out more", "login --token [redacted:other:0000] [redacted:option:1111] eu"],
    ["a kind has another name", "login --token [redacted:old-name:0000] --region eu"],
  ];
  for (const [how, stored] of changes) {
    it(`is accepted as the same event: ${how}`, async () => {
      const writer = await createWriter();
      const event = createEvent({ args, metadata: { b: 1, a: SECRET } });
      await writer.event(event);
      await rewrite(writer, event.event_id, stored);
      const again = await writer.event({ ...event, metadata: { a: SECRET, b: 1 } });
      const { results } = await writer.events([event, createEvent()]);
      expect([again.status, results.map(({ status }) => status)]).to.deep.equal([200, ["accepted", "accepted"]]);
      expect(await writer.count()).to.equal(2);
    });
  }

  it("is refused as a different event if anything else differs", async () => {
    const writer = await createWriter();
    const event = createEvent({ args });
    await writer.event(event);
    const others = [{ args: `${args} ` }, { args: `x${args}` }, { result: SECRET }, { success: false }, { latency: 5 }];
    for (const other of others) expect((await writer.event({ ...event, ...other })).status).to.equal(409);
  });
});
