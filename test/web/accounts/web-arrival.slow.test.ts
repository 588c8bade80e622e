import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { sendEvents } from "../../../bench/web/sessions.ts";
import { postOtlp } from "../../support/recording/otlp.ts";
import { buildSpansRequest } from "../../support/recording/telemetry.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";
import { setUpBrowserTests } from "../../support/web/web.ts";

const record = ({ url, ingestKey }: Tenant, args: string) =>
  sendEvents(url, ingestKey, [
    { event_id: randomUUID(), session_id: randomUUID(), primitive_name: "claude-code", args, result: "", latency: 1 },
  ]);

/** Resolves when the server accepts the next socket that the page opens. */
const connected = (page: Page) =>
  new Promise<void>((resolve) => {
    const isAccepted = (frame: string | Buffer) => String(frame).startsWith("40");
    page.on("websocket", (socket) =>
      socket.on("framereceived", ({ payload }) => void (isAccepted(payload) && resolve())),
    );
  });

describe("the connect page that waits for the first event", () => {
  const web = setUpBrowserTests();

  it("ignores earlier events and events of other organizations, and shows the first new event", async () => {
    const [own, other] = [await createOrganization(), await createOrganization()];
    await record(own, "Was there before");
    const untold = Buffer.from(JSON.stringify(buildSpansRequest([1, 2].map((id) => ({ id, name: "GET /" })))));
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
    await page.getByText("Trackway received 2 spans of service demo").waitFor();
    await record(other, "Of somebody else");
    // By now the server has notified the owner of the other organization. A page subscribed to every organization
    // would have been notified too.
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
