import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { generateSession, sendEvents } from "../../bench/web/sessions.ts";
import { callRestApi, createOrganization } from "../support/server.ts";
import { openApp, setUpBrowserTests } from "../support/web/web.ts";

const event = (session_id: string, args: string, more: object = {}) => ({
  event_id: randomUUID(),
  session_id,
  primitive_name: "claude-code",
  args,
  result: "done",
  latency: 40,
  ...more,
});

describe("the web app while sessions are recorded", () => {
  const web = setUpBrowserTests((tenant) =>
    sendEvents(tenant.url, tenant.ingestKey, [event(randomUUID(), "The first of all")]),
  );

  it("shows a new session in the list of two browsers, and holds it back where a row is selected", async () => {
    const one = await web.open("/sessions");
    const other = await web.open("/sessions");
    for (const { page } of [one, other]) {
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByRole("row", { name: /The first of all/ }).waitFor();
    }
    await other.page.keyboard.press("j");
    await other.page.locator('[role=row][aria-selected="true"]').waitFor();
    await sendEvents(web.tenant.url, web.tenant.ingestKey, [event(randomUUID(), "Comes while two look")]);
    await one.page.getByText("Comes while two look").waitFor();
    await other.page.getByRole("button", { name: /1 new session/ }).waitFor();
    expect(await other.page.getByText("Comes while two look").count()).to.equal(0);
    await other.page.keyboard.press(".");
    await other.page.getByText("Comes while two look").waitFor();
    expect([...one.problems, ...other.problems]).to.deep.equal([]);
  });

  it("adds new events to an open session", async () => {
    const id = randomUUID();
    const turn = event(id, "Open while it goes on");
    await sendEvents(web.tenant.url, web.tenant.ingestKey, [turn]);
    const { page, problems } = await web.open(`/sessions/${id}`);
    await page.getByRole("row", { name: /Open while it goes on/ }).waitFor();
    await sendEvents(web.tenant.url, web.tenant.ingestKey, [
      event(id, '{"command":"make later"}', {
        parent_id: turn.event_id,
        primitive_type: "tool",
        primitive_name: "Bash",
        success: false,
      }),
    ]);
    await page.getByRole("row", { name: /Failed: Bash make later/ }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("leads from the list to a failed session, its first failure and back, by keyboard alone", async () => {
    const own = await createOrganization();
    const events = generateSession({ seed: own.urlKey, events: 60, begin: Date.now() - 400_000, failEvery: 17 });
    await sendEvents(own.url, own.ingestKey, [...events, event(randomUUID(), "Nothing failed here")]);
    const { page, problems } = await web.open("/sessions", own);
    await page.getByText("Nothing failed here").waitFor();
    await page.keyboard.press("x");
    await page.getByText("Nothing failed here").waitFor({ state: "detached" });
    await page.waitForURL((at) => at.searchParams.get("failed") === "1");
    await page.getByRole("link", { name: /The build on main fails/ }).waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.getByRole("treegrid").waitFor();
    await page.keyboard.press("n");
    const first = events.find(({ success }) => !success);
    await page.waitForURL(`**/events/${first?.event_id}`);
    await page.getByRole("complementary", { name: "Event" }).getByText("Found 1 error.").waitFor();
    expect(await page.evaluate("document.activeElement.getAttribute('aria-selected')")).to.equal("true");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Escape");
    await page.waitForURL(`**/sessions/${first?.session_id}`);
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await page.waitForURL("**/sessions");
    expect(problems).to.deep.equal([]);
  });

  it("updates the pages of tools and users with new events, without a reload", async () => {
    const own = await createOrganization();
    const record = (user_id: string, tool: string) => {
      const session_id = randomUUID();
      const sent = { session_id, user_data: { user_id }, metadata: {} };
      const kept = callRestApi(own.url, "POST", "/api/v1/capture-session", {
        body: sent,
        headers: { "x-api-key": own.ingestKey },
      });
      const one = event(session_id, "{}", { primitive_type: "tool", primitive_name: tool, success: false });
      return kept.then(() => sendEvents(own.url, own.ingestKey, [one]));
    };
    await record("mira", "Bash");
    const paths = ["/tools", "/tools/Bash", "/users", "/users/mira"];
    const [tools, tool, users, user] = await Promise.all(paths.map((path) => web.open(path, own)));
    const rows = (shown: typeof tools, name: string) => shown?.page.getByRole("table", { name }).locator("tbody tr");
    await rows(tools, "Tools")?.filter({ hasText: "Bash" }).waitFor();
    await tool?.page.getByRole("link", { name: "1 session", exact: true }).waitFor();
    await rows(users, "Users")?.filter({ hasText: "mira" }).waitFor();
    await rows(user, "Sessions of the user")?.nth(0).waitFor();
    await record("jonas", "Grep");
    await rows(tools, "Tools")?.filter({ hasText: "Grep" }).waitFor();
    await rows(users, "Users")?.filter({ hasText: "jonas" }).waitFor();
    await record("mira", "Bash");
    await rows(user, "Sessions of the user")?.nth(1).waitFor();
    await tool?.page.getByRole("link", { name: "2 sessions", exact: true }).waitFor();
    expect([tools, tool, users, user].flatMap((shown) => shown?.problems)).to.deep.equal([]);
  });

  it("leads from sign-in to a failure, an issue about it and a comment, by keyboard alone", async () => {
    const own = await createOrganization();
    await own.gql(`mutation { teamCreate(input: { name: "Engineering", key: "ENG" }) { success } }`);
    const events = generateSession({ seed: own.urlKey, events: 30, begin: Date.now() - 400_000, failEvery: 17 });
    await sendEvents(own.url, own.ingestKey, events);
    const { page, problems } = await openApp(web.browser, own.url, "/sessions?failed=1");
    const { keyboard } = page;
    /** Presses Tab until an element with this name has the focus. */
    const tabTo = async (name: RegExp) => {
      const focused = `((e) => (e.ariaLabel || e.labels?.[0]?.textContent || e.textContent || "").trim())(document.activeElement)`;
      for (let n = 0; n < 60; n += 1) {
        if (name.test(String(await page.evaluate(focused)))) return;
        await keyboard.press("Tab");
      }
      throw new Error(`Tab never reached ${name}`);
    };
    await page.getByLabel("Password").waitFor();
    await tabTo(/^Email/);
    await keyboard.type(own.email);
    await tabTo(/^Password/);
    await keyboard.type(own.password);
    await keyboard.press("Enter");
    await page.getByRole("link", { name: /The build on main fails/ }).waitFor();
    await keyboard.press("j");
    await keyboard.press("Enter");
    await page.getByRole("treegrid").waitFor();
    await keyboard.press("n");
    const panel = page.getByRole("complementary", { name: "Event" });
    await panel.getByText("Found 1 error.").waitFor();
    await tabTo(/^File an issue/);
    await keyboard.press("Enter");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Title").waitFor();
    await tabTo(/^File issue$/);
    await keyboard.press("Enter");
    await page.waitForURL(/\/issue\/ENG-1/);
    await page.getByRole("region", { name: "Issue", exact: true }).waitFor();
    await keyboard.press("m");
    await keyboard.type("Seen by keys alone.");
    await keyboard.press("Control+Enter");
    await page.getByRole("region", { name: "Issue", exact: true }).getByText("Seen by keys alone.").waitFor();
    expect(problems).to.deep.equal([]);
  });
});
