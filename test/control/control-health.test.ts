import { expect } from "chai";
import { call, sharedServer } from "../support/server.ts";
import { strictServer } from "../support/strict.ts";

describe("the health endpoint", () => {
  it("answers 200 with version and uptime", async () => {
    const { url } = await sharedServer();
    const { status, body } = await call(url, "GET", "/api/health");
    expect(status).to.equal(200);
    expect(body)
      .to.include({ status: "ok", database: "ok" })
      .and.to.have.keys("status", "version", "database", "uptimeSeconds");
  });

  it("answers /api/health/live without asking the database", async () => {
    const { url } = await sharedServer();
    expect((await call(url, "GET", "/api/health/live")).status).to.equal(200);
  });

  it("stands beside /metrics, which serves Prometheus text when METRICS=on and 404 otherwise", async () => {
    const app = await strictServer();
    await call(app.url, "GET", "/api/health");
    const text = await (await fetch(`${app.url}/metrics`)).text();
    expect(text).to.match(/http_requests_total\{handler="control",status="2xx"\} \d/);
    expect((await fetch(`${(await sharedServer()).url}/metrics`)).status).to.equal(404);
  });
});
