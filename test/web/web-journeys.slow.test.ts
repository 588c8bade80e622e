import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { retryWhileBusy } from "../support/db/busy.ts";
import type { Tenant } from "../support/server.ts";
import { createAgent } from "../support/tracker/work.ts";
import { clickElement, tapElement } from "../support/web/pointer.ts";
import { setUpBrowserTests, type WebPage } from "../support/web/web.ts";
import { recordRuns } from "../support/web/web-runs.ts";
import { createWorkspaceIn } from "../support/workspace.ts";

/** Presses an element, with a mouse or by touch. */
type Hand = (page: Page, target: Locator) => Promise<void>;

/** A user of the app. Counts each press, each shortcut and each typed text as one action. */
class Person {
  actions = 0;
  readonly page: Page;
  private readonly hand: Hand;

  constructor(page: Page, hand: Hand) {
    this.page = page;
    this.hand = hand;
  }

  async presses(target: Locator): Promise<void> {
    this.actions += 1;
    await target.waitFor();
    await this.hand(this.page, target);
  }

  async types(text: string): Promise<void> {
    this.actions += 1;
    await this.page.keyboard.type(text);
  }

  /** Presses keys in sequence, such as `g` and `f`. */
  async keys(...keys: string[]): Promise<void> {
    this.actions += 1;
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Opens a page from the rail. On a phone, most pages are behind the button More. */
  async opens(name: string): Promise<void> {
    const rail = this.page.getByRole("navigation", { name: "Main", exact: true });
    if (await rail.isVisible()) return this.presses(rail.getByRole("link", { name }));
    await this.presses(this.page.getByRole("button", { name: "More", exact: true }));
    await this.presses(this.page.getByRole("dialog", { name: "Pages" }).getByRole("link", { name }));
  }
}

describe("the most frequent journeys", () => {
  let free: string[] = [];
  const web = setUpBrowserTests(async (tenant) => {
    await recordRuns(tenant, runs());
    free = await bugs(tenant);
  });

  const wide = async (path: string) => {
    const opened = await web.open(path);
    await opened.page.setViewportSize({ width: 1440, height: 900 });
    return opened;
  };

  /** Declares a test of one journey with each input method: at most `most` actions until the target page appears. */
  function way(name: string, path: string, most: number, byHand: Way, byKeys: Way): void {
    const go = async (opened: WebPage, hand: Hand, by: Way) => {
      await opened.page.getByRole("heading", { level: 1 }).waitFor();
      const someone = new Person(opened.page, hand);
      await by(someone);
      expect(someone.actions, "actions").to.be.at.most(most);
      expect(opened.problems).to.deep.equal([]);
    };
    it(`${name}, with a mouse`, async () => go(await wide(path), clickElement, byHand));
    it(`${name}, with a finger on a phone`, async () => go(await web.onPhone(path), tapElement, byHand));
    it(`${name}, with a keyboard`, async () => go(await wide(path), clickElement, byKeys));
  }

  const cause = async ({ page }: Person) => {
    const group = page.getByRole("complementary", { name: "Failure group" });
    await group.getByLabel("Result of example 1").getByText("token lacks the scope deploy:write").waitFor();
    expect(await group.getByRole("list", { name: "Events before the failure" }).locator("li").count()).to.equal(4);
  };
  way(
    "from a failed run among 300 to its cause and what came before it",
    "/sessions",
    4,
    async (someone) => {
      await someone.opens("Failures");
      await someone.presses(someone.page.getByRole("link", { name: "token lacks the scope" }));
      await cause(someone);
    },
    async (someone) => {
      await someone.keys("g", "f");
      await someone.page.getByRole("link", { name: "token lacks the scope" }).waitFor();
      await someone.keys("j");
      await cause(someone);
    },
  );

  const LINE = "team:OPS label:bug priority:urgent holder:nobody";
  const urgent = async ({ page }: Person) => {
    // A phone has no room for the total.
    await page.locator(".sum", { hasText: `${free.length} issues` }).waitFor({ state: "attached" });
    const rows = page.getByRole("table", { name: "Issues" }).locator("[data-row]");
    await rows.nth(free.length - 1).waitFor();
    expect((await rows.allInnerTexts()).sort()).to.deep.equal([...free].sort());
  };
  way(
    "to my team’s urgent bugs without a holder, among 400 issues",
    "/issues",
    4,
    async (someone) => {
      await someone.presses(someone.page.getByRole("combobox", { name: "Filter issues" }));
      await someone.types(LINE);
      await someone.keys("Enter");
      await urgent(someone);
    },
    async (someone) => {
      await someone.keys("f");
      await someone.types(LINE);
      await someone.keys("Enter");
      await urgent(someone);
    },
  );

  const costs = async ({ page }: Person) => {
    const rows = page.getByRole("table", { name: "Usage" }).getByRole("row");
    await rows.filter({ hasText: "claude-sonnet-4-5" }).waitFor();
    // 149 runs of 1,000 input tokens and 100 output tokens, at 3 and 15 dollars per million.
    expect(await rows.filter({ hasText: "claude-sonnet-4-5" }).innerText()).to.match(/\$0\.67/);
  };
  way(
    "to what a model cost this week",
    "/sessions",
    2,
    async (someone) => {
      await someone.opens("Usage");
      await costs(someone);
    },
    async (someone) => {
      await someone.keys("g", "p");
      await costs(someone);
    },
  );

  const filed = async ({ page }: Person, title: string) => {
    await page.getByText(/^[A-Z]+-\d+ was created/).waitFor();
    const { issues } = await retryWhileBusy(() =>
      web.tenant.gql(`query ($title: String!) { issues(filter: { title: { eq: $title } }) { nodes { title } } }`, {
        title,
      }),
    );
    expect(issues.nodes).to.have.length(1);
  };
  way(
    "to an ordinary issue that is filed",
    "/issues",
    3,
    async (someone) => {
      const title = `Refunds are booked twice, ${someone.page.viewportSize()?.width}`;
      await someone.presses(someone.page.getByRole("button", { name: "New issue", exact: true }));
      await someone.page.getByRole("dialog", { name: "New issue" }).waitFor();
      await someone.types(title);
      await someone.presses(someone.page.getByRole("button", { name: /^Create issue/ }));
      await filed(someone, title);
    },
    async (someone) => {
      await someone.keys("c");
      await someone.page.getByRole("dialog", { name: "New issue" }).waitFor();
      await someone.types("Refunds are booked twice, by keys");
      await someone.keys("Control+Enter");
      await filed(someone, "Refunds are booked twice, by keys");
    },
  );
});

type Way = (someone: Person) => Promise<void>;

/** Returns 300 runs, of which the last fails with a new error message. */
function runs(): Parameters<typeof recordRuns>[1] {
  const read = { tool: "Read", args: { file_path: "src/money/round.ts" } };
  const build = { tool: "Bash", args: { command: "npm run build" } };
  const deploy = { tool: "Bash", args: { command: "npm run deploy" } };
  const quiet = Array.from({ length: 299 }, (_, n) => ({
    prompt: `Ordinary work ${n}`,
    ...(n < 149 && { model: "claude-sonnet-4-5" }),
    calls: [read],
    age: 0.01 * (n % 100),
  }));
  const result = "Error: token lacks the scope deploy:write";
  return [...quiet, { prompt: "Ship it", calls: [read, build, build, { ...deploy, result, fails: true as const }] }];
}

/** Creates 400 issues in two teams. Returns the titles of urgent bugs of OPS without a holder. */
async function bugs(tenant: Tenant): Promise<string[]> {
  const [own, ops] = [await createWorkspaceIn(tenant, "ENG"), await createWorkspaceIn(tenant, "OPS")];
  const labelOf = async (name: string): Promise<string> =>
    (await own.does("issueLabelCreate", { input: { name, color: "#cc2222" } }, "issueLabel { id }")).issueLabel.id;
  const [bug, feature] = [await labelOf("bug"), await labelOf("feature")];
  const inputs = Array.from({ length: 400 }, (_, n) => ({
    title: `Issue ${n}`,
    teamId: n % 2 ? ops.teamId : own.teamId,
    priority: n % 4,
    labelIds: [n % 8 < 4 ? bug : feature],
  }));
  const made: { id: string; title: string }[] = [];
  for (let at = 0; at < inputs.length; at += 50) {
    const input = { input: { issues: inputs.slice(at, at + 50) } };
    made.push(...(await own.does("issueBatchCreate", input, "issues { id title }")).issues);
  }
  const [held, ...free] = made.filter((_, n) => n % 8 === 1);
  await (await createAgent(own)).claim({ id: held?.id });
  return free.map(({ title }) => title);
}
