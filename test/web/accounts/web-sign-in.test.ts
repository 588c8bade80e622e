import { expect } from "chai";
import { openApp, setUpBrowserTests, submitSignInForm } from "../../support/web/web.ts";

describe("the sign-in page", () => {
  const web = setUpBrowserTests();
  const signedOut = () => openApp(web.browser, web.tenant.url);

  it("signs in with a password, stays signed in after a reload, and stores no token that a script can read", async () => {
    const { page, problems } = await web.open();
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    const readable = await page.evaluate(
      "document.cookie + Object.values(localStorage).join() + Object.values(sessionStorage).join()",
    );
    expect([readable, problems]).to.deep.equal(["", []]);
  });

  it("reports a wrong password, and logs only the refused request in the console", async () => {
    const { page } = await signedOut();
    await submitSignInForm(page, { ...web.tenant, password: "not the password" });
    expect(await page.getByRole("alert").innerText()).to.contain("password is wrong");
  });

  it("signs out in every tab, and revokes the cookie", async () => {
    const { page } = await web.open();
    const other = await page.context().newPage();
    await other.goto(`${web.tenant.url}/connect`);
    await other.getByRole("heading", { name: "Record your first session" }).waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await other.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
  });

  it("creates an account, names the organization, and continues to the page for the first session", async () => {
    const { page, problems } = await signedOut();
    await page.getByRole("button", { name: "Create an account" }).click();
    await page.getByLabel("Your name").fill("Nora");
    await page.getByLabel("Email").fill(`nora-${Date.now()}@example.com`);
    await page.getByLabel("Password").fill("a password of Nora's");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByLabel("URL name").fill(`nora-${Date.now()}`);
    await page.getByLabel("Name", { exact: true }).fill("Nora's");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "Record your first session" }).waitFor();
    expect(problems).to.deep.equal([]);
  });
});
