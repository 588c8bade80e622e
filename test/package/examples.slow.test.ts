import { type ChildProcess, execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect } from "chai";
import { createOrganization, type Tenant } from "../support/server.ts";
import { readDeliveries, registerWebhook } from "../support/stream/webhooks.ts";
import { createIssue, createTeam } from "../support/tracker/stream-writes.ts";

const run = promisify(execFile);

describe("the examples", () => {
  let tenant: Tenant;
  let teamId: string;
  const env = (more: object = {}) => ({
    PATH: process.env["PATH"],
    TRACKER_URL: tenant.url,
    TRACKER_API_KEY: tenant.apiKey,
    TRACKER_INGEST_KEY: tenant.ingestKey,
    ...more,
  });
  const example = async (name: string) =>
    (await run(name.endsWith(".sh") ? "bash" : "node", [`examples/${name}`], { env: env() })).stdout;

  before(async () => {
    tenant = await createOrganization();
    teamId = await createTeam(tenant);
  });

  it("are all run by this test and named in their README", () => {
    const files = readdirSync("examples").filter((name) => !["README.md", "sdks"].includes(name));
    const [readme, tests] = [
      readFileSync("examples/README.md", "utf8"),
      readFileSync("test/package/examples.slow.test.ts", "utf8"),
    ];
    expect(files.filter((name) => !readme.includes(`examples/${name}`) || !tests.includes(`${name}"`))).to.deep.equal(
      [],
    );
  });

  it("of SDKs have at most 20 lines, are named in the README, and are run by npm run agents", () => {
    const [readme, programs] = [
      readFileSync("examples/README.md", "utf8"),
      readFileSync("test/agents/programs.ts", "utf8"),
    ];
    for (const name of readdirSync("examples/sdks")) {
      const lines = readFileSync(`examples/sdks/${name}`, "utf8").split("\n");
      expect(lines.filter((line) => !/^(\/\/|$)/.test(line)).length, name).to.be.at.most(20);
      expect(readme).to.include(`examples/sdks/${name}`);
      expect(programs).to.include(`"${name}"`);
    }
  });

  it("record events with curl, once when repeated", async () => {
    expect(JSON.parse(await example("capture-events.sh"))).to.include({ accepted: 1, rejected: 0 });
    expect(JSON.parse(await example("capture-events.sh"))).to.include({ accepted: 1, rejected: 0 });
    expect(await sessionsOf("shell-agent")).to.deep.equal([{ totals: { events: 1, failures: 0 } }]);
  });

  it("record a session with a failed call from code", async () => {
    expect(await example("capture-events.mjs")).to.match(/^[0-9a-f-]{36}\n$/);
    expect(await sessionsOf("build-agent")).to.deep.equal([{ totals: { events: 2, failures: 1 } }]);
  });

  it("record through OpenTelemetry", async () => {
    expect(await example("otlp-export.mjs")).to.match(/^2 spans of [0-9a-f-]{36}\n$/);
    expect(await sessionsOf("reviewer")).to.deep.equal([{ totals: { events: 2, failures: 0 } }]);
  });

  it("create and list issues over GraphQL", async () => {
    const printed = await example("graphql-client.mjs");
    const [, identifier] = /^filed (\w+-\d+): http/.exec(printed) ?? [];
    expect(printed).to.include(`${identifier}  `);
  });

  it("claim and complete an issue over MCP", async () => {
    const { issue } = await createIssue(tenant, teamId, "Fix the build");
    const printed = await example("mcp-agent.mjs");
    const [, taken] = /^works on (\S+): /m.exec(printed) ?? [];
    expect(printed).to.include(`finished ${taken}`);
    expect(issue.id).to.be.a("string");
  });

  it("receive signed webhooks once, and refuse other requests", async () => {
    const receiver = await startReceiver("webhook-receiver.mjs");
    try {
      const webhook = await registerWebhook(tenant, receiver, { secret: SECRET });
      await createIssue(tenant, teamId, "Delivered");
      await receiver.printed(/Issue create by /);
      const forged = await fetch(receiver.url, { method: "POST", headers: { "tracker-signature": "00" }, body: "{}" });
      expect(forged.status).to.equal(401);
      expect((await readDeliveries(tenant, webhook)).length).to.be.greaterThan(0);
    } finally {
      receiver.child.kill();
    }
  });

  const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

  async function startReceiver(name: string): Promise<{ url: string; child: ChildProcess; printed: Printed }> {
    const child = spawn("node", [`examples/${name}`], { env: env({ WEBHOOK_SECRET: SECRET, PORT: "0" }) });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
    });
    const printed: Printed = async (pattern) => {
      for (;;) {
        const found = pattern.exec(text);
        if (found) return found;
        await new Promise((resolve) => child.stdout.once("data", resolve));
      }
    };
    const [, url = ""] = await printed(/listening on (http:\S+)/);
    return { url, child, printed };
  }

  async function sessionsOf(agent: string) {
    const query = `{ recordedSessions(filter: { agent: { eq: "${agent}" } }) { nodes { totals { events failures } } } }`;
    const reply = await tenant.graphql(query);
    return reply.data.recordedSessions.nodes;
  }
});

type Printed = (pattern: RegExp) => Promise<RegExpExecArray>;
