import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { sendEvents } from "../../../bench/web/sessions.ts";
import { excludeFromComparison } from "../../support/db/derived.ts";
import { startSharedServer } from "../../support/server.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";

/**
 * Each event has 2 MiB. The server reads two events per response, and the page stops asking without a click at the
 * 41st event.
 */
const EVENTS = 80;
/** Events per insert statement. Small, because a statement has a time limit and the machine may be busy. */
const AT_ONCE = 10;
const FILL = `insert into recorded_event (organization_id, event_id, session_id, timestamp, received_at, timestamp_sent, success,
    primitive_name, args, result)
  select $1, gen_random_uuid(), $2, to_timestamp($3::float8 / 1000) + n * interval '1 minute', now(), true, true, 'a',
    case when n in (3, 75) then 'the Needle ' else '' end || repeat('b', 1048000), repeat('c', 1048576)
  from generate_series($4::integer, $4::integer + ${AT_ONCE - 1}) n`;

describe("find in a session of large texts", () => {
  const web = setUpBrowserTests();

  it("shows matches and how far the search came, and continues on request", async () => {
    const begin = Date.UTC(2026, 0, 5, 12);
    const sessionId = randomUUID();
    const first = { event_id: randomUUID(), session_id: sessionId, primitive_name: "a", args: "Begin.", result: "" };
    await sendEvents(web.tenant.url, web.tenant.ingestKey, [{ ...first, timestamp: begin }]);
    const { db } = (await startSharedServer()).runtime;
    excludeFromComparison(web.tenant.organizationId);
    for (let n = 1; n <= EVENTS; n += AT_ONCE)
      await db.query({ text: FILL, values: [web.tenant.organizationId, sessionId, begin, n] });
    const { page, problems } = await web.open(`/sessions/${sessionId}`);
    await page.getByLabel("Find in session").fill("needle");
    const count = (words: string) => page.getByRole("status").getByText(words, { exact: true });
    await count("1+ found").waitFor();
    const more = page.getByRole("button", { name: /^Continue from / });
    await more.waitFor();
    const at = Date.parse((await more.locator("time").getAttribute("datetime")) ?? "");
    expect(at).to.be.within(begin + 4 * 60_000, begin + 74 * 60_000);
    await more.click();
    await count("2 found").waitFor();
    expect(await more.count()).to.equal(0);
    // A new search text starts again from the first event.
    await page.getByLabel("Find in session").fill("begin.");
    await count("1+ found").waitFor();
    await more.waitFor();
    expect(problems).to.deep.equal([]);
  });
});
