import { expect } from "chai";
import { callRestApi, startSharedServer } from "../support/server.ts";
import { startStrictServer } from "../support/strict.ts";

describe("the health endpoint", () => {
  it("responds with 200, version and uptime", async () => {
    const { url } = await startSharedServer();
    const { status, body } = await callRestApi(url, "GET", "/api/health");
    expect(status).to.equal(200);
    expect(body)
      .to.include({ status: "ok", database: "ok" })
      .and.to.have.keys("status", "version", "database", "uptimeSeconds");
  });

  it("responds at /api/health/live without querying the database", async () => {
    const { url } = await startSharedServer();
    expect((await callRestApi(url, "GET", "/api/health/live")).status).to.equal(200);
  });

  it("is beside /metrics, which serves Prometheus text with METRICS=on and 404 otherwise", async () => {
    const app = await startStrictServer();
    await callRestApi(app.url, "GET", "/api/health");
    const text = await (await fetch(`${app.url}/metrics`)).text();
    expect(text).to.match(/http_requests_total\{handler="control",status="2xx"\} \d/);
    expect((await fetch(`${(await startSharedServer()).url}/metrics`)).status).to.equal(404);
  });
});
