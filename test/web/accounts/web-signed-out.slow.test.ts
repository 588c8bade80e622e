import { expect } from "chai";
import { inviteGuest } from "../../support/members.ts";
import { createOrganization } from "../../support/server.ts";
import { openSignedIn, setUpBrowserTests } from "../../support/web/web.ts";

describe("a page whose user is signed out shows why", () => {
  const web = setUpBrowserTests();

  it("when the server ended the login", async () => {
    const own = await createOrganization();
    const { page } = await web.open("/connect", own);
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    const cookies = await page.context().cookies(`${own.url}/api/auth`);
    const refreshToken = cookies[0]?.value;
    await fetch(`${own.url}/api/auth/logout`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ refreshToken }),
    });
    const words = page.getByText("You are signed out. Sign in again.");
    await words.waitFor();
    // A request may find the page signed out up to 0.4 s before the server closes the socket. The page then asks
    // again.
    await page.waitForTimeout(1_500);
    expect(await words.isVisible()).to.equal(true);
  });

  it("when the member was removed, and keeps nothing of the organization on the page", async () => {
    const own = await createOrganization();
    const guest = await inviteGuest(own);
    const { page } = await web.open("/settings/members", guest);
    await page.getByRole("cell", { name: guest.email }).first().waitFor();
    expect((await own.rest("DELETE", `/api/members/${guest.id}`)).status).to.equal(200);
    await page.getByText("You are no longer a member of Acme.").waitFor();
    expect(await page.getByText(own.email).count()).to.equal(0);
  });

  it("when the member was removed and then opens another tab", async () => {
    const own = await createOrganization();
    const guest = await inviteGuest(own);
    const context = await web.browser.newContext({ reducedMotion: "reduce" });
    const { page } = await openSignedIn(context, { ...guest, url: own.url }, "/settings/members");
    await page.getByRole("cell", { name: guest.email }).first().waitFor();
    expect((await own.rest("DELETE", `/api/members/${guest.id}`)).status).to.equal(200);
    const words = page.getByText("You are no longer a member of Acme.");
    await words.waitFor();
    // The other tab resumes the login and notifies this tab.
    const other = await context.newPage();
    await other.goto(own.url);
    await other.getByText(`Signed in as ${guest.email}`).waitFor();
    await page.waitForTimeout(300);
    expect(await words.isVisible()).to.equal(true);
    await context.close();
  });

  it("when the server ended the login but was too busy to report it at once", async () => {
    const own = await createOrganization();
    const context = await web.browser.newContext({ reducedMotion: "reduce" });
    const { page } = await openSignedIn(context, own, "/connect");
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    let busy = 2;
    await page.route("**/api/auth/session", (route) => {
      busy -= 1;
      return busy >= 0 ? route.fulfill({ status: 503, json: { error: "busy" } }) : route.continue();
    });
    const errors: Error[] = [];
    page.on("pageerror", (error) => errors.push(error));
    const cookies = await context.cookies(`${own.url}/api/auth`);
    await fetch(`${own.url}/api/auth/logout`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ refreshToken: cookies[0]?.value }),
    });
    await page.getByText("You are signed out. Sign in again.").waitFor();
    expect(errors).to.deep.equal([]);
    await context.close();
  });
});
