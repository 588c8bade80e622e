import { expect } from "chai";
import { joined } from "../../support/members.ts";
import { freshOrganization } from "../../support/server.ts";
import { inBrowser } from "../../support/web/web.ts";

describe("whoever is signed out while they look is told why:", function () {
  this.timeout(180_000);
  const web = inBrowser();

  it("a login that the server ended", async () => {
    const own = await freshOrganization();
    const { page } = await web.open("/connect", own);
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    const cookies = await page.context().cookies(`${own.url}/api/auth`);
    const refreshToken = cookies[0]?.value;
    await fetch(`${own.url}/api/auth/logout`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ refreshToken }),
    });
    const words = page.getByText("Your session has ended; sign in again.");
    await words.waitFor();
    // A request may find it out before the socket is closed, 0.4 s later at most, and the page asks again then.
    await page.waitForTimeout(1_500);
    expect(await words.isVisible()).to.equal(true);
  });

  it("a member who is removed: nothing of the organization stays on the page", async () => {
    const own = await freshOrganization();
    const guest = await joined(own);
    const { page } = await web.open("/settings/members", guest);
    await page.getByRole("cell", { name: guest.email }).first().waitFor();
    expect((await own.rest("DELETE", `/api/members/${guest.id}`)).status).to.equal(200);
    await page.getByText("You are no longer a member of Acme.").waitFor();
    expect(await page.getByText(own.email).count()).to.equal(0);
  });
});
