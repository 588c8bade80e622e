import { expect } from "chai";
import { createEvent } from "../support/recording/ingest.ts";
import { readSession } from "../support/recording/observed-sessions.ts";
import { PATTERN, postToIngestion, setRedactionSwitches } from "../support/recording/redaction-switches.ts";
import { startServer } from "../support/server.ts";
import { createWorkspace } from "../support/workspace.ts";
import { ALNUM, random } from "./corpus/random.ts";

describe("a changed redaction setting", () => {
  it("does not make a repeated event a different event", async () => {
    const space = await createWorkspace();
    const text = `ghp_${random(23).chars(ALNUM, 36)} acme_${random(24).chars(ALNUM, 20)} bob@acme.dev`;
    const event = createEvent({ args: `a ${text} b`, result: text, metadata: { note: `c ${text}`, n: 1 } });
    const again = async () => (await postToIngestion(space, "capture-event", event)).status;
    const statuses = [await again()];
    for (const input of [
      { redactionPatterns: [PATTERN] },
      { redactionPersonalData: true, redactionPatterns: [] },
      { redactionEnabled: false },
      { redactionEnabled: true, redactionEntropy: true, redactionPatterns: [PATTERN] },
    ]) {
      await setRedactionSwitches(space, input);
      statuses.push(await again());
      const other = await postToIngestion(space, "capture-event", { ...event, args: `a ${text} c` });
      statuses.push(other.status);
    }
    expect(statuses).to.deep.equal([200, 200, 409, 200, 409, 200, 409, 200, 409]);
  });

  it("applies on another server of the same database within a second", async function () {
    if (!process.env["TEST_DATABASE_URL"]) this.skip();
    const other = await startServer();
    const space = await createWorkspace();
    const send = async () => {
      const event = createEvent({ args: "mail bob@acme.dev" });
      await postToIngestion({ ...space, url: other.url }, "capture-events", { events: [event] });
      return (await readSession(space, event.session_id)).events[0].args;
    };
    expect(await send()).to.equal("mail bob@acme.dev");
    await setRedactionSwitches(space, { redactionPersonalData: true });
    expect(await send()).to.match(/^mail \[redacted:email:/);
  });
});
