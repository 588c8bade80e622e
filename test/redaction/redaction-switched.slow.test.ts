import { expect } from "chai";
import { anEvent } from "../support/recording/ingest.ts";
import { readSession } from "../support/recording/observed-sessions.ts";
import { PATTERN, post, switched } from "../support/recording/redaction-switches.ts";
import { startServer } from "../support/server.ts";
import { freshWorkspace } from "../support/workspace.ts";
import { ALNUM, random } from "./corpus/random.ts";

describe("the switches of redaction, once changed,", () => {
  it("do not make another event of one that is sent again after they changed", async () => {
    const space = await freshWorkspace();
    const text = `ghp_${random(23).chars(ALNUM, 36)} acme_${random(24).chars(ALNUM, 20)} bob@acme.dev`;
    const event = anEvent({ args: `a ${text} b`, result: text, metadata: { note: `c ${text}`, n: 1 } });
    const again = async () => (await post(space, "capture-event", event)).status;
    const statuses = [await again()];
    for (const input of [
      { redactionPatterns: [PATTERN] },
      { redactionPersonalData: true, redactionPatterns: [] },
      { redactionEnabled: false },
      { redactionEnabled: true, redactionEntropy: true, redactionPatterns: [PATTERN] },
    ]) {
      await switched(space, input);
      statuses.push(await again());
      const other = await post(space, "capture-event", { ...event, args: `a ${text} c` });
      statuses.push(other.status);
    }
    expect(statuses).to.deep.equal([200, 200, 409, 200, 409, 200, 409, 200, 409]);
  });

  it("count on another server of the same database within a second", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    const other = await startServer();
    const space = await freshWorkspace();
    const send = async () => {
      const event = anEvent({ args: "mail bob@acme.dev" });
      await post({ ...space, url: other.url }, "capture-events", { events: [event] });
      return (await readSession(space, event.session_id)).events[0].args;
    };
    expect(await send()).to.equal("mail bob@acme.dev");
    await switched(space, { redactionPersonalData: true });
    expect(await send()).to.match(/^mail \[redacted:email:/);
  });
});
