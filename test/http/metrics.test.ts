import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { JOBS } from "../../server/jobs/index.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { connectHttpClient, startMcpHttp } from "../support/mcp.ts";
import { createEvent } from "../support/recording/ingest.ts";
import { LISTENING_LINE, spawnServer } from "../support/run/process.ts";
import { createOrganization, startServer } from "../support/server.ts";

const TOKEN = "a token for metrics";
const MOST_SERIES = 300;
/** Metrics of Prometheus itself, and of Node.js' default metrics. */
const OTHERS = /^(up|process_|nodejs_)/;

const read = async (url: string, token = TOKEN) =>
  (await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } })).text();
const seriesIn = (text: string) => text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
const namesIn = (text: string) => [...text.matchAll(/^# TYPE (\S+) (\S+)/gm)].map(([, name = ""]) => name);

/**
 * Returns the metric names in an expression: words followed by a selector, a range or nothing, except functions and
 * labels.
 */
const metricsOf = (expression: string) =>
  [
    ...expression
      .replaceAll(/"[^"]*"|\b(by|without) \([^)]*\)|\{[^}]*\}|\[\w+\]/g, " ")
      .matchAll(/[a-z_][a-z0-9_]+\b(?! *\()/g),
  ]
    .map(([name]) => name)
    .filter((name) => !/^(or|and|unless|by)$/.test(name));

/** Returns every expression of the dashboards and alerts. */
const expressions = () => {
  const dashboards = readdirSync("deploy/grafana").flatMap((name) =>
    JSON.parse(readFileSync(`deploy/grafana/${name}`, "utf8")).panels.flatMap(({ targets }: any) =>
      targets.map(({ expr }: { expr: string }) => expr),
    ),
  );
  const alerts = [...readFileSync("deploy/prometheus/alerts.yaml", "utf8").matchAll(/expr: (.+)/g)];
  return [...dashboards, ...alerts.map(([, expression]) => expression)] as string[];
};

describe("the metrics endpoint", () => {
  it("requires the token if one is configured, on the server and on the MCP server", async () => {
    const app = await startServer({ METRICS: "on", METRICS_TOKEN: TOKEN });
    const mcp = new URL(await startMcpHttp(app.url, [], { METRICS: "on", METRICS_TOKEN: TOKEN })).origin;
    for (const url of [app.url, mcp]) {
      expect((await fetch(`${url}/metrics`)).status).to.equal(401);
      expect(await read(url, `${TOKEN}x`)).to.not.include("build_info");
      expect(await read(url)).to.match(/^build_info\{version="\d/m);
    }
    const none = new URL(await startMcpHttp(app.url)).origin;
    expect((await fetch(`${none}/metrics`)).status).to.equal(404);
  });

  it("counts recorded and refused events, names no tenant, and has all metrics of dashboards and alerts", async () => {
    const app = await startServer({ METRICS: "on", INGEST_RATE_REQUESTS: "1" });
    const tenant = await createOrganization(app);
    const send = (events: unknown[]) =>
      fetch(`${app.url}/api/v1/capture-events`, {
        method: "POST",
        headers: { "x-api-key": tenant.ingestKey, "Content-Type": "application/json" },
        body: JSON.stringify({ events }),
      });
    const event = createEvent();
    const before = await read(app.url);
    expect((await send([event, { ...event, args: "other" }, { event_id: "no" }])).status).to.equal(202);
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await send([])).status));
    const refused = statuses.filter((status) => status === 429).length;
    expect(refused).to.be.greaterThan(0);
    for (const path of ["/", "/docs", "/graphql", "/api/health", "/nothing", "/v1/traces", "/oauth/authorize"])
      await fetch(app.url + path);
    await tenant.gql("{ issues { nodes { id } } }");
    let text = await read(app.url);
    // On a busy machine, a gauge may miss the time limit for reading, and the page is then without that gauge.
    while (!/^ingest_fold_lag_seconds \d/m.test(text)) text = await read(app.url);
    const growth = (series: string) => {
      const at = (page: string) =>
        Number(
          seriesIn(page)
            .find((line) => line.startsWith(`${series} `))
            ?.split(" ")[1] ?? 0,
        );
      return at(text) - at(before);
    };
    expect(growth("ingest_events_accepted_total")).to.equal(1);
    expect(growth('ingest_events_refused_total{reason="conflict"}')).to.equal(1);
    expect(growth('ingest_events_refused_total{reason="invalid"}')).to.equal(1);
    expect(growth('ingest_requests_refused_total{reason="rate_limited"}')).to.equal(refused);
    expect(growth("rate_limited_total")).to.equal(refused);
    expect(text).to.match(/^database_size_bytes [1-9]\d{5}/m);
    for (const value of [tenant.organizationId, tenant.email, tenant.ingestKey]) expect(text).to.not.include(value);

    const mcp = await startMcpHttp(app.url, [], { METRICS: "on" });
    const client = await connectHttpClient(mcp, tenant.apiKey);
    await client.call("list_teams");
    const shown = await read(new URL(mcp).origin);
    expect(shown).to.include('mcp_tool_calls_total{tool="list_teams",outcome="ok"} 1');
    expect(seriesIn(shown).length).to.be.at.most(MOST_SERIES);
    const names = new Set([text, shown].flatMap(namesIn).flatMap((name) => [name, `${name}_bucket`]));
    const named = expressions().flatMap(metricsOf);
    expect(named.length).to.be.greaterThan(30);
    expect(
      named.filter((name) => !names.has(name) && !OTHERS.test(name) && !["le", "time", "vector"].includes(name)),
    ).to.deep.equal([]);
    const page = readFileSync("docs/monitoring.md", "utf8");
    const own = [...new Set([text, shown].flatMap(namesIn))].filter((name) => !OTHERS.test(name));
    expect(own.filter((name) => !page.includes(`\`${name}\``))).to.deep.equal([]);
  });

  it("has at most 300 series per server process, including every job", async () => {
    const DATA_DIR = mkdtempSync(join(tmpdir(), "trackway-metrics-"));
    copyEmptyDatabase(DATA_DIR);
    const server = spawnServer({ DATA_DIR, METRICS: "on", JOBS: "off", TRACKWAY_BOOTSTRAP: "off" });
    const [, url = ""] = await server.printed(LISTENING_LINE);
    for (const path of ["/", "/docs", "/graphql", "/api/health", "/nothing", "/v1/traces", "/oauth/authorize"])
      await fetch(url + path);
    const ofOthers = seriesIn(await read(url)).filter((line) => !/^\w+\{[^}]*job="/.test(line));
    await server.stop();
    expect(ofOthers.length + 3 * Object.keys(JOBS).length).to.be.at.most(MOST_SERIES);
  });

  it("has at most twelve alerts, each with a section in the runbook", () => {
    const alerts = readFileSync("deploy/prometheus/alerts.yaml", "utf8");
    const page = readFileSync("docs/monitoring.md", "utf8");
    const sections = [...alerts.matchAll(/runbook: docs\/monitoring\.md#([\w-]+)/g)].map(([, name]) => name);
    expect(sections.length)
      .to.equal([...alerts.matchAll(/- alert: /g)].length)
      .and.at.most(12);
    for (const name of sections) expect(page).to.include(`<a id="${name}"></a>`);
  });
});
