import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { callRestApi } from "../../support/server.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";

const LONG = 25_000;
const EDIT = {
  file_path: "src/cart/totals.ts",
  old_string: "same first\nreturn floor(sum)\nsame last",
  new_string: "same first\nreturn round(sum)\nreturn later\nsame last",
};

describe("exporting a session from its page", () => {
  const [session_id, turn, edit, failed] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const web = setUpBrowserTests(async ({ url, ingestKey }) => {
    const timestamp = Date.now() - 60_000;
    const tool = { session_id, parent_id: turn, primitive_type: "tool", timestamp, latency: 20 };
    const events = [
      { session_id, event_id: turn, primitive_name: "coder", args: "Round it", result: "Done `so`.", timestamp },
      { ...tool, event_id: edit, primitive_name: "Edit", args: JSON.stringify(EDIT), result: "ok" },
      {
        ...tool,
        event_id: failed,
        primitive_name: "Bash",
        args: "npm test",
        result: "```".repeat(LONG),
        success: false,
      },
    ];
    await callRestApi(url, "POST", "/api/v1/capture-events", { body: { events }, headers: { "x-api-key": ingestKey } });
  });

  async function saved(page: Page, name: string): Promise<{ name: string; text: string }> {
    await page.getByRole("button", { name: "More", exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name, exact: true }).click(),
    ]);
    return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
  }

  it("gives JSON that marks truncated texts, and Markdown in which recorded text cannot break the format", async () => {
    const { page, problems } = await web.open(`/sessions/${session_id}`);
    await page.getByRole("row", { name: /Round it/ }).waitFor();
    const json = await saved(page, "Save as JSON");
    expect(json.name).to.equal(`session-${session_id}.json`);
    const { session, events } = JSON.parse(json.text);
    expect(session.id).to.equal(session_id);
    const byId = new Map<string, any>(events.map((event: any) => [event.event_id, event]));
    expect(byId.get(edit)).to.include({
      parent_id: turn,
      primitive_name: "Edit",
      args: JSON.stringify(EDIT),
      success: true,
    });
    expect(byId.get(edit)).not.to.have.property("truncated");
    expect(byId.get(failed)).to.deep.include({ truncated: ["result"], success: false });
    expect(byId.get(failed).result).to.have.length(20_000);
    const markdown = await saved(page, "Save as Markdown");
    expect(markdown.name).to.equal(`session-${session_id}.md`);
    expect(markdown.text).to.contain("> Round it").and.contain("- Edit").and.contain("**failed");
    // The fence around the failed result is longer than any run of backticks inside.
    expect(markdown.text).to.match(/^ {2}`{20001}$/m);
    expect(problems).to.deep.equal([]);
  });

  it("gives an edit as a diff beside its arguments, and a link that opens the edit", async () => {
    const { page, problems } = await web.open(`/sessions/${session_id}/events/${edit}`);
    const change = page.getByRole("region", { name: "Change 1 of src/cart/totals.ts" });
    await change.waitFor();
    const lines = (await change.locator(".ln").allInnerTexts()).map((line) => line.replace(/\s+/g, " ").trim());
    expect(lines).to.deep.equal([
      "same first",
      "- return floor(sum)",
      "+ return round(sum)",
      "+ return later",
      "same last",
    ]);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "More", exact: true }).click();
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText("Link copied.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).to.equal(page.url());
    expect(problems).to.deep.equal([]);
  });
});
