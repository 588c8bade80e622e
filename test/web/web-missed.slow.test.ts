import { randomUUID } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import type { Page, WebSocketRoute } from "playwright-core";
import { sendEvents } from "../../bench/web/sessions.ts";
import { createOrganization, startSharedServer } from "../support/server.ts";
import { openWatchedPage } from "../support/web/browser.ts";
import { setUpBrowserTests } from "../support/web/web.ts";

/** Opens a second page of the same user, whose sockets reach the server only while the gate is open. */
async function gatedSockets(beside: Page) {
  const { page } = await openWatchedPage(beside.context(), new URL(beside.url()).origin);
  const waiting: WebSocketRoute[] = [];
  let last: WebSocketRoute | undefined;
  let open = false;
  const pass = (socket: WebSocketRoute) => {
    socket.connectToServer();
    last = socket;
  };
  await page.routeWebSocket(/socket\.io/, (socket) => void (open ? pass(socket) : waiting.push(socket)));
  return {
    page,
    open: () => {
      open = true;
      for (const socket of waiting.splice(0)) pass(socket);
    },
    cut: async () => {
      open = false;
      await last?.close({ code: 1001, reason: "the server stops" });
    },
  };
}

describe("sessions recorded while a list is not connected, or is reading", () => {
  const web = setUpBrowserTests(() => record("The first of all"));
  const record = (args: string) =>
    sendEvents(web.tenant.url, web.tenant.ingestKey, [
      {
        event_id: randomUUID(),
        session_id: randomUUID(),
        primitive_name: "claude-code",
        args,
        result: "done",
        latency: 40,
      },
    ]);
  const title = (page: Page, words: string) => page.getByRole("row", { name: new RegExp(words) });
  it("are shown if recorded between first read and connection; are held back if recorded offline while a row is selected", async () => {
    const { page: first } = await web.open("/issues");
    const { page, ...sockets } = await gatedSockets(first);
    await page.goto(`${web.tenant.url}/sessions`);
    await title(page, "The first of all").waitFor();
    await record("Before it was connected");
    sockets.open();
    await title(page, "Before it was connected").waitFor();
    await page.keyboard.press("j");
    await page.locator('[role=row][aria-selected="true"]').waitFor();
    await sockets.cut();
    await page.getByText(/Not connected/).waitFor();
    await record("While it was cut off");
    sockets.open();
    await page.getByRole("button", { name: /1 new session/ }).waitFor();
    expect(await title(page, "While it was cut off").count()).to.equal(0);
    expect(await page.locator('[role=row][aria-selected="true"]').innerText()).to.contain("Before it was connected");
    await page.keyboard.press(".");
    await title(page, "While it was cut off").waitFor();
  });

  it("are shown on the page that waits for the first event if recorded before it connected", async () => {
    const own = await createOrganization();
    const { page: first } = await web.open("/issues", own);
    const { page, ...sockets } = await gatedSockets(first);
    const looked = page.waitForResponse((reply) => Boolean(reply.request().postData()?.includes("query Sessions(")));
    await page.goto(`${own.url}/connect`);
    await page.getByText("Waiting for the first event").waitFor();
    await looked;
    const sent = {
      session_id: randomUUID(),
      primitive_name: "claude-code",
      args: "Came early",
      result: "",
      latency: 1,
    };
    await sendEvents(own.url, own.ingestKey, [{ ...sent, event_id: randomUUID() }]);
    sockets.open();
    await page.getByText("First event received").waitFor();
    await page.getByText("Came early").waitFor();
  });

  it("stay in the list when an older response arrives later", async () => {
    const { page } = await web.open("/issues");
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let held = false;
    await page.route("**/graphql", async (route) => {
      if (held || !route.request().postData()?.includes("query Sessions(")) return route.continue();
      held = true;
      const response = await route.fetch();
      await released;
      return route.fulfill({ response });
    });
    const told = new Promise<void>((resolve) => {
      page.on("websocket", (socket) =>
        socket.on("framereceived", ({ payload }) => void (String(payload).includes("session.touched") && resolve())),
      );
    });
    await page.goto(`${web.tenant.url}/sessions`);
    await page.getByText("Live", { exact: true }).waitFor();
    await record("While it was read");
    await told;
    // Gives a newer request time to be answered before the older request.
    await page.waitForTimeout(1_000);
    release();
    await title(page, "The first of all").waitFor();
    await title(page, "While it was read").waitFor();
  });
});

describe("the web app of a build that ends after the server started", () => {
  it("is served: the text of the page appears", async () => {
    const { url } = await startSharedServer();
    const folder = "dist/web/assets";
    const name = `later-${randomUUID()}.js`;
    expect((await fetch(`${url}/assets/${readdirSync(folder)[0]}`)).status).to.equal(200);
    writeFileSync(join(folder, name), "later");
    try {
      expect(await (await fetch(`${url}/assets/${name}`)).text()).to.equal("later");
    } finally {
      rmSync(join(folder, name));
    }
  });
});
