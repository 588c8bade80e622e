import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { sendEvents } from "../../../bench/web/sessions.ts";
import { postOtlp } from "../../support/recording/otlp.ts";
import { spansRequest } from "../../support/recording/telemetry.ts";
import { freshOrganization, type Tenant } from "../../support/server.ts";
import { inBrowser } from "../../support/web/web.ts";

const record = ({ url, ingestKey }: Tenant, args: string) =>
  sendEvents(url, ingestKey, [
    { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "claude-code", args, result: "", latency: 1 },
  ]);

/** Resolves when a connection stands that the page opens from now on: the server said so. */
const connected = (page: Page) =>
  new Promise<void>((resolve) => {
    const isAccepted = (frame: string | Buffer) => String(frame).startsWith("40");
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => void (isAccepted(payload) && resolve())),
    );
  });

describe("the page that waits for the first event", function () {
  this.timeout(180_000);
  const web = inBrowser();

  it("waits on, whatever was there before and whatever another organization records, and shows what comes", async () => {
    const [own, other] = [await freshOrganization(), await freshOrganization()];
    await record(own, "Was there before");
    const untold = Buffer.from(JSON.stringify(spansRequest([1, 2].map((id) => ({ id, name: "GET /" })))));
    await postOtlp({ url: own.url, key: own.ingestKey }, "/v1/traces", untold);
    await record(other, "Of somebody else, before");
    const witness = await web.open("/sessions", other);
    await witness.page.getByText("Live", { exact: true }).waitFor();
    const { page, problems } = await web.open("/sessions", own);
    await page.getByText("Live", { exact: true }).waitFor();
    const listens = connected(page);
    await page.goto(`${own.url}/connect`);
    await listens;
    await page.getByText("Waiting for the first event").waitFor();
    await page.getByText("2 spans of service demo told nothing but their names.").waitFor();
    await record(other, "Of somebody else");
    // Its owner was notified by now; a page that listened to everybody would have been, too.
    await witness.page.getByText("Of somebody else", { exact: true }).waitFor();
    expect(await page.getByText("Waiting for the first event").isVisible()).to.equal(true);
    expect(await page.getByText("First event received").count()).to.equal(0);
    await record(own, "Comes now");
    await page.getByText("First event received").waitFor();
    expect(await page.getByRole("status").filter({ hasText: "First event received" }).innerText()).to.contain(
      "Comes now",
    );
    expect(problems).to.deep.equal([]);
  });
});
