import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { sendEvents } from "../../../bench/web/sessions.ts";
import { writtenByHand } from "../../support/db/derived.ts";
import { sharedServer } from "../../support/server.ts";
import { inBrowser } from "../../support/web/web.ts";

/** Two MiB each: an answer reads two of them, and what the page asks for by itself ends at the 41st. */
const EVENTS = 80;
/** Written at once: a statement has its time, on a machine that does much else too. */
const AT_ONCE = 10;
const FILL = `insert into recorded_event (organization_id, event_id, session_id, timestamp, received_at, timestamp_sent, success,
    primitive_name, args, result)
  select $1, gen_random_uuid(), $2, to_timestamp($3::float8 / 1000) + n * interval '1 minute', now(), true, true, 'a',
    case when n in (3, 75) then 'the Needle ' else '' end || repeat('b', 1048000), repeat('c', 1048576)
  from generate_series($4::integer, $4::integer + ${AT_ONCE - 1}) n`;

describe("what is found in a session of large texts", function () {
  this.timeout(180_000);
  const web = inBrowser();

  it("is shown with how far the search came, and the rest when one asks to go on", async () => {
    const begin = Date.UTC(2026, 0, 5, 12);
    const sessionId = randomUUID();
    const first = { event_id: randomUUID(), session_id: sessionId, primitive_name: "a", args: "Begin.", result: "" };
    await sendEvents(web.tenant.url, web.tenant.ingestKey, [{ ...first, timestamp: begin }]);
    const { db } = (await sharedServer()).runtime;
    writtenByHand(web.tenant.organizationId);
    for (let n = 1; n <= EVENTS; n += AT_ONCE)
      await db.query({ text: FILL, values: [web.tenant.organizationId, sessionId, begin, n] });
    const { page, problems } = await web.open(`/sessions/${sessionId}`);
    await page.getByLabel("Find in session").fill("needle");
    const count = (words: string) => page.getByRole("status").getByText(words, { exact: true });
    await count("1+ found").waitFor();
    const more = page.getByRole("button", { name: /^Search on from / });
    await more.waitFor();
    const at = Date.parse((await more.locator("time").getAttribute("datetime")) ?? "");
    expect(at).to.be.within(begin + 4 * 60_000, begin + 74 * 60_000);
    await more.click();
    await count("2 found").waitFor();
    expect(await more.count()).to.equal(0);
    // Another text is looked for from the beginning.
    await page.getByLabel("Find in session").fill("begin.");
    await count("1+ found").waitFor();
    await more.waitFor();
    expect(problems).to.deep.equal([]);
  });
});
