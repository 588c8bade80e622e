import { randomUUID } from "node:crypto";
import { sendEvents } from "../../../bench/web/sessions.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";

describe("find in a session that is read in parts", () => {
  const web = setUpBrowserTests();

  it("does not report a complete search while the server is busy, and searches again", async () => {
    const begin = Date.UTC(2026, 0, 6, 12);
    const sessionId = randomUUID();
    const first = { event_id: randomUUID(), session_id: sessionId, primitive_name: "a", args: "Begin.", result: "" };
    await sendEvents(web.tenant.url, web.tenant.ingestKey, [{ ...first, timestamp: begin }]);
    const { page } = await web.open(`/sessions/${sessionId}`);
    let busy = true;
    await page.route("**/graphql", (route) =>
      busy && (route.request().postData() ?? "").includes("query OutlineSearch(")
        ? route.fulfill({ status: 503, json: { errors: [{ message: "Busy." }] } })
        : route.fallback(),
    );
    await page.getByLabel("Find in session").fill("begin.");
    const count = (words: string) => page.getByRole("status").getByText(words, { exact: true });
    await count("0+ found").waitFor();
    busy = false;
    await count("1 found").waitFor();
  });
});
