import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "chai";
import { type environmentSchema as mcpSettings, readConfig as readMcpConfig } from "../../mcp/config.ts";
import { isDisallowedHostOrOrigin } from "../../mcp/http/request.ts";
import { parseConfiguredMailServer } from "../../server/accounts/mail-server.ts";
import { isIssuerUrl } from "../../server/accounts/oidc/connection.ts";
import { initializeOnFirstStart } from "../../server/admin/first-start.ts";
import type { App } from "../../server/app.ts";
import { type configSchema, readConfig } from "../../server/config.ts";
import { removeOldObservations } from "../../server/jobs/retention/observations.ts";
import { clearOldSessionTexts, removeOldSessions } from "../../server/jobs/retention/retention.ts";
import { removeOldChanges } from "../../server/jobs/streams.ts";
import { createLog } from "../../server/operations/log.ts";
import { computePendingDeliveryLimits } from "../../server/resources/webhook/pending.ts";
import { allowsPrivateAddresses } from "../../server/runtime.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { LISTENING_LINE, type ServerProcess, spawnServer } from "../support/run/process.ts";
import { callRestApi, createOrganization, startServer } from "../support/server.ts";

/** Names come from the declarations of the settings, so a setting without a scene does not compile. */
type Name = keyof typeof configSchema.shape;
type McpName = keyof typeof mcpSettings.shape;

/** An unusual but valid value of a setting, and a check that the setting has an effect. */
interface Scene {
  /** The setting, and other settings that the scene requires. */
  env: () => Record<string, string> | Promise<Record<string, string>>;
  /** Checks a server in this process with an embedded database. */
  shows?: (app: App, env: Record<string, string>) => unknown;
  /** Checks a server in a separate process. */
  showsOf?: (server: ServerProcess, env: Record<string, string>) => Promise<unknown>;
}

const folder = (name: string) => join(mkdtempSync(join(tmpdir(), "settings-")), name);
const scene = (env: Record<string, string>, shows: NonNullable<Scene["shows"]>): Scene => ({ env: () => env, shows });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const json = async (url: string) => (await (await fetch(url)).json()) as Record<string, unknown>;
const metadata = (app: App) => json(`${app.url}/.well-known/oauth-authorization-server`);
const capture = async (app: App, key: string, events: Record<string, unknown>[]) =>
  callRestApi(app.url, "POST", "/api/v1/capture-events", { body: { events }, headers: { "x-api-key": key } });
const event = (more: Record<string, unknown> = {}) => ({
  event_id: randomUUID(),
  session_id: randomUUID(),
  primitive_name: "setting",
  args: "a",
  result: "b",
  ...more,
});

/** Returns the status of a request with a different Host header. */
const statusFor = (url: string, host: string) =>
  new Promise((resolve, reject) => {
    const asked = request(`${url}/api/health/live`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.once("error", reject).end();
  });

/** Sends eleven wrong logins with different forwarded addresses and returns the last status. */
async function lastOfEleven(app: App): Promise<number> {
  let status = 0;
  for (let at = 1; at <= 11; at += 1) {
    const headers = { "X-Forwarded-For": `192.0.2.${at}` };
    const body = { email: `nobody${at % 2}@example.com`, password: "wrong, eleven times" };
    status = (
      await callRestApi(app.url, "POST", "/api/auth/login", { body: { ...body, email: "nobody@example.com" }, headers })
    ).status;
  }
  return status;
}

const graphqlCodes = async (app: App) => {
  const { graphql } = await createOrganization(app);
  const codes: unknown[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { errors } = await graphql("{ issues(first: 50) { nodes { id title } } }");
    codes.push(errors?.[0]?.extensions?.code);
  }
  return codes;
};

const runs = async (server: ServerProcess) => {
  const [, url] = await server.printed(LISTENING_LINE);
  return String(url);
};

const TOKEN = "! #$%&'()*+,-./:;<=>?@[]^_`{|}~";
const JWT_SECRET = ' a secret "with" \' quotes and spaces ';

const SERVER: Record<Name, Scene> = {
  PORT: {
    env: async () => ({ PORT: ` ${await freePort()} ` }),
    shows: (app, { PORT }) => expect(new URL(app.url).port).to.equal(PORT?.trim()),
  },
  HOST: scene({ HOST: "127.0.0.2" }, async (app) => {
    expect(app.url).to.match(/^http:\/\/127\.0\.0\.2:/);
    expect(await statusFor(app.url, "127.0.0.2")).to.equal(200);
  }),
  MCP_PORT: {
    env: async () => ({ MCP_PORT: String(await freePort()) }),
    showsOf: async (server, { MCP_PORT }) => {
      await server.printed(/MCP over HTTP at/);
      expect((await fetch(`http://127.0.0.1:${MCP_PORT}/health`)).status).to.equal(200);
    },
  },
  OTLP_GRPC_PORT: {
    env: async () => ({ OTLP_GRPC_PORT: String(await freePort()) }),
    shows: (app, { OTLP_GRPC_PORT }) => expect(String(app.grpcPort)).to.equal(OTLP_GRPC_PORT),
  },
  // Tests under test/db/database cover these settings on PostgreSQL. Here each setting is only refused without the
  // others, below.
  DATABASE_URL: scene({}, () => {}),
  DATABASE_DIRECT_URL: scene({}, () => {}),
  DATABASE_POOL: scene({}, () => {}),
  DATA_DIR: {
    env: () => ({ DATA_DIR: folder("Daten ü 1"), JWT_SECRET: "" }),
    shows: (_, { DATA_DIR }) => expect(existsSync(join(String(DATA_DIR), "jwt-secret"))).to.equal(true),
  },
  JWT_SECRET: scene({ JWT_SECRET }, (app) => expect(Buffer.from(app.runtime.secret).toString()).to.equal(JWT_SECRET)),
  PUBLIC_URL: scene({ PUBLIC_URL: "HTTPS://Tracker.Example.COM:443/" }, async (app) => {
    expect((await metadata(app)).issuer).to.equal("https://tracker.example.com");
    expect(app.runtime.publicUrl).to.equal("https://tracker.example.com");
    const { headers } = await fetch(`${app.url}/api/health`);
    expect(headers.get("strict-transport-security")).to.match(/max-age/);
  }),
  ALLOWED_HOSTS: scene({ ALLOWED_HOSTS: "[fd00::1] , xn--mnchen-3ya.example" }, async (app) => {
    expect(await statusFor(app.url, "[fd00::1]:8443")).to.equal(200);
    expect(await statusFor(app.url, "xn--mnchen-3ya.example")).to.equal(200);
    expect(await statusFor(app.url, "evil.example")).to.equal(403);
  }),
  CORS_ORIGINS: scene({ CORS_ORIGINS: "http://[::1]:5173" }, async (app) => {
    const headers = { Origin: "http://[::1]:5173", "Access-Control-Request-Method": "POST" };
    const response = await fetch(`${app.url}/graphql`, { method: "OPTIONS", headers });
    expect(response.headers.get("access-control-allow-origin")).to.equal("http://[::1]:5173");
  }),
  LOG_LEVEL: scene({ LOG_LEVEL: "fatal" }, (app) => {
    const lines: string[] = [];
    const log = createLog(app.runtime.config.LOG_LEVEL, { write: (line: string) => lines.push(line) });
    log.error("hidden");
    log.fatal("shown");
    expect(lines).to.have.length(1);
  }),
  METRICS: scene({ METRICS: "on" }, async (app) => expect((await fetch(`${app.url}/metrics`)).status).to.equal(200)),
  METRICS_TOKEN: scene({ METRICS: "on", METRICS_TOKEN: TOKEN }, async (app) => {
    const ask = (headers: Record<string, string>) => fetch(`${app.url}/metrics`, { headers });
    expect((await ask({})).status).to.equal(401);
    expect((await ask({ Authorization: `Bearer ${TOKEN}` })).status).to.equal(200);
  }),
  BACKUP_EVERY: {
    // Longer than the maximum delay of a Node.js timer.
    env: () => ({ BACKUP_EVERY: "40d", BACKUP_DIR: mkdtempSync(join(tmpdir(), "settings-")) }),
    showsOf: async (server, { BACKUP_DIR }) => {
      await server.printed(/"msg":"backup written and verified by a trial restore"/);
      await sleep(2_000);
      expect(readdirSync(String(BACKUP_DIR))).to.have.length(1);
    },
  },
  BACKUP_DIR: {
    env: () => ({ BACKUP_EVERY: "1m", BACKUP_DIR: folder("Ordner ü 1") }),
    showsOf: async (server, { BACKUP_DIR }) => {
      await server.printed(/"msg":"backup written and verified by a trial restore"/);
      expect(readdirSync(String(BACKUP_DIR))).to.have.length(1);
    },
  },
  BACKUP_KEEP: {
    env: () => {
      const BACKUP_DIR = mkdtempSync(join(tmpdir(), "settings-"));
      const twoDays = Date.now() / 1000 - 2 * 86_400;
      const old = ["trackway-20200101T000000Z.jsonl.gz", "trackway-20200102T000000Z.jsonl.gz"];
      for (const name of old) {
        writeFileSync(join(BACKUP_DIR, name), "");
        utimesSync(join(BACKUP_DIR, name), twoDays, twoDays);
      }
      return { BACKUP_EVERY: "1d", BACKUP_KEEP: "25h", BACKUP_DIR };
    },
    showsOf: async (server, { BACKUP_DIR }) => {
      await server.printed(/"msg":"backup written and verified by a trial restore"/);
      expect(readdirSync(String(BACKUP_DIR))).to.have.length(1);
    },
  },
  JOBS: scene({ JOBS: "on", METRICS: "on" }, async (app) => {
    const ran = async () => /job[^\n]*\{[^\n]*\} [1-9]/.test(await (await fetch(`${app.url}/metrics`)).text());
    for (let tried = 0; tried < 100 && !(await ran()); tried += 1) await sleep(200);
    expect(await ran()).to.equal(true);
  }),
  TRACKWAY_BOOTSTRAP: scene({ TRACKWAY_BOOTSTRAP: "on", HOST: "0.0.0.0" }, async (app) => {
    expect(await initializeOnFirstStart(app.runtime, app.url, Promise.resolve(undefined))).to.be.a("string");
  }),
  SIGNUP: scene({ SIGNUP: "invite" }, async (app) => {
    const body = {
      name: "Ada",
      email: `${randomUUID()}@example.com`,
      password: randomUUID(),
    };
    expect((await callRestApi(app.url, "POST", "/api/auth/signup", { body })).status).to.equal(403);
  }),
  TRUST_PROXY: scene({ TRUST_PROXY: "on", LOGIN_THROTTLE: "on" }, async (app) => {
    // The server counts by forwarded address, so no address has failed ten times.
    expect(await lastOfEleven(app)).to.equal(401);
  }),
  LOGIN_THROTTLE: scene({ LOGIN_THROTTLE: "on" }, async (app) => expect(await lastOfEleven(app)).to.equal(429)),
  SHUTDOWN_DELAY: {
    env: () => ({ SHUTDOWN_DELAY: "2" }),
    showsOf: async (server) => {
      const url = await runs(server);
      const began = performance.now();
      server.child.kill("SIGTERM");
      await server.printed(/"msg":"stopping"/);
      expect((await fetch(`${url}/api/health/live`)).status).to.equal(200);
      expect(await server.ended).to.equal(0);
      expect(performance.now() - began).to.be.at.least(1_900);
    },
  },
  INGEST_RATE_REQUESTS: scene({ INGEST_RATE_REQUESTS: "1" }, async (app) => {
    const { ingestKey } = await createOrganization(app);
    const all = await Promise.all(Array.from({ length: 6 }, () => capture(app, ingestKey, [event()])));
    expect(all.map(({ status }) => status)).to.include(429);
  }),
  INGEST_RATE_EVENTS: scene({ INGEST_RATE_EVENTS: "1" }, async (app) => {
    const { ingestKey } = await createOrganization(app);
    await capture(app, ingestKey, [event(), event(), event()]);
    expect((await capture(app, ingestKey, [event()])).status).to.equal(429);
  }),
  INGEST_MAX_BODY: scene({ INGEST_MAX_BODY: "1024" }, async (app) => {
    const { ingestKey } = await createOrganization(app);
    expect((await capture(app, ingestKey, [event({ args: "x".repeat(1_024) })])).status).to.equal(413);
  }),
  INGEST_REDACT: scene({ INGEST_REDACT: "Ünüsual, X-Odd" }, async (app) => {
    const { ingestKey, graphql } = await createOrganization(app);
    const one = event({ metadata: { "x-odd": "in sight", cookie: "kept" } });
    await capture(app, ingestKey, [one]);
    const { data } = await graphql(`{ recordedEvent(id: "${one.event_id}") { metadata } }`);
    const text = JSON.stringify(data.recordedEvent.metadata);
    expect(text).to.contain("kept").and.not.contain("in sight");
  }),
  EVENT_RETENTION_DAYS: scene({ EVENT_RETENTION_DAYS: "99999" }, async ({ runtime: { db, config } }) => {
    await removeOldSessions(db, config.EVENT_RETENTION_DAYS);
    await clearOldSessionTexts(db, config.EVENT_RETENTION_DAYS);
  }),
  CHANGE_RETENTION_DAYS: scene({ CHANGE_RETENTION_DAYS: "99999" }, ({ runtime: { db, config } }) =>
    removeOldChanges(db, config.CHANGE_RETENTION_DAYS),
  ),
  OBSERVATION_DAYS: scene({ OBSERVATION_DAYS: "99999" }, ({ runtime: { db, config } }) =>
    removeOldObservations(db, config.OBSERVATION_DAYS),
  ),
  GRAPHQL_REQUESTS_PER_HOUR: scene({ GRAPHQL_REQUESTS_PER_HOUR: "1" }, async (app) =>
    expect(await graphqlCodes(app)).to.include("RATELIMITED"),
  ),
  GRAPHQL_COMPLEXITY_PER_HOUR: scene({ GRAPHQL_COMPLEXITY_PER_HOUR: "1" }, async (app) =>
    expect(await graphqlCodes(app)).to.include("RATELIMITED"),
  ),
  WEBHOOK_ALLOW_PRIVATE: scene({ WEBHOOK_ALLOW_PRIVATE: "off" }, (app) =>
    expect(allowsPrivateAddresses(app.runtime)).to.equal(false),
  ),
  WEBHOOK_MAX_PENDING: scene({ WEBHOOK_MAX_PENDING: "7" }, (app) =>
    expect(computePendingDeliveryLimits(app.runtime.config)).to.deep.equal({ organization: 7, target: 4 }),
  ),
  SMTP_URL: scene({ SMTP_URL: "smtp://a%40b:p%25w%3A@[::1]/?security=none", MAIL_FROM: "a@example.com" }, (app) =>
    expect(parseConfiguredMailServer(app.runtime.config)).to.include({
      ...{ host: "::1", port: 587, security: "none", username: "a@b", password: "p%w:" },
    }),
  ),
  MAIL_FROM: scene({ SMTP_URL: "smtps://mail.example.com", MAIL_FROM: " Tråckway ü <a@example.com> " }, (app) =>
    expect(parseConfiguredMailServer(app.runtime.config)?.from).to.equal("Tråckway ü <a@example.com>"),
  ),
  MCP_PUBLIC_URL: scene(
    { MCP_PUBLIC_URL: "https://mcp.example.com/a/mcp , https://other.example.com/mcp" },
    async (app) => {
      const { resource } = await json(`${app.url}/.well-known/oauth-protected-resource/mcp`);
      expect(resource).to.equal("https://mcp.example.com/a/mcp");
    },
  ),
  OAUTH: scene({ OAUTH: "off" }, async (app) =>
    expect((await fetch(`${app.url}/.well-known/oauth-authorization-server`)).status).to.equal(404),
  ),
  OAUTH_REGISTRATION: scene({ OAUTH_REGISTRATION: "off" }, async (app) =>
    expect(await metadata(app)).not.to.have.property("registration_endpoint"),
  ),
  OAUTH_CLIENT_DOCUMENTS: scene({ OAUTH_CLIENT_DOCUMENTS: "on" }, async (app) =>
    expect(await metadata(app)).to.include({ client_id_metadata_document_supported: true }),
  ),
  OAUTH_ALLOW_PRIVATE: scene({ OAUTH_ALLOW_PRIVATE: "on" }, (app) =>
    expect(isIssuerUrl(app.runtime.config, "http://127.0.0.1:9999")).to.equal(true),
  ),
};

/**
 * Values without an effect, or without a complete effect. The server refuses each value with one line that names the
 * setting.
 */
const REFUSED: Partial<Record<Name, Record<string, string>[]>> = {
  PUBLIC_URL: ["/trackway", "/trackway/", "/a/b", "/?x=1", "/#x", "/%2f"].map((rest) => ({
    PUBLIC_URL: `https://tracker.example.com${rest}`,
  })),
  MCP_PORT: [{ PORT: "4711", MCP_PORT: "4711" }, { PORT: "4100" }],
  OTLP_GRPC_PORT: [{ OTLP_GRPC_PORT: "4000" }, { OTLP_GRPC_PORT: "4100" }],
  DATABASE_DIRECT_URL: [{ DATABASE_DIRECT_URL: "postgres://a@127.0.0.1/b" }],
  DATABASE_POOL: [{ DATABASE_POOL: "5" }],
  METRICS_TOKEN: [{ METRICS_TOKEN: TOKEN }, { METRICS: "on", METRICS_TOKEN: "ключ из многих букв" }],
  BACKUP_EVERY: [{ BACKUP_EVERY: "1d" }],
  BACKUP_DIR: [{ BACKUP_DIR: "backups" }],
  BACKUP_KEEP: [{ BACKUP_KEEP: "1d" }],
  INGEST_MAX_BODY: [{ INGEST_MAX_BODY: "9007199254740991" }],
  INGEST_REDACT: [{ INGEST_REDACT: "OFF" }, { INGEST_REDACT: "off,cookie" }, { INGEST_REDACT: " off" }],
  EVENT_RETENTION_DAYS: [{ EVENT_RETENTION_DAYS: "9007199254740991" }],
  CHANGE_RETENTION_DAYS: [{ CHANGE_RETENTION_DAYS: "9007199254740991" }],
  OBSERVATION_DAYS: [{ OBSERVATION_DAYS: "100000" }],
  SMTP_URL: ["/inbox", "#x", "?security=tls"].map((rest) => ({
    SMTP_URL: `smtps://mail.example.com${rest}`,
    MAIL_FROM: "a@example.com",
  })),
  MCP_PUBLIC_URL: [
    { MCP_PUBLIC_URL: "https://a:b@mcp.example.com/mcp" },
    { MCP_PUBLIC_URL: "https://a.example/mcp#x" },
  ],
  OAUTH_REGISTRATION: [{ OAUTH: "off", OAUTH_REGISTRATION: "on" }],
  OAUTH_CLIENT_DOCUMENTS: [{ OAUTH: "off", OAUTH_CLIENT_DOCUMENTS: "on" }],
};

const mcp = (env: Record<string, string>) => readMcpConfig([], env);
const serves = (env: Record<string, string>, headers: Record<string, string>) =>
  !isDisallowedHostOrOrigin(mcp(env), { headers } as never);

const MCP: Record<McpName, () => unknown> = {
  TRACKER_URL: () => expect(mcp({ TRACKER_URL: "HTTPS://a.example/base/" }).url).to.match(/a\.example\/base$/),
  TRACKER_API_KEY: () => expect(mcp({ TRACKER_API_KEY: `trk_api_${"0".repeat(40)}` }).apiKey).to.have.length(48),
  TRACKER_INGEST_KEY: () => expect(mcp({ TRACKER_INGEST_KEY: `sk_${"f".repeat(64)}` }).ingestKey).to.have.length(67),
  TRACKER_TOOLSETS: () => expect(mcp({ TRACKER_TOOLSETS: " work , plan " })).not.to.deep.equal(mcp({})),
  TRACKER_TOOLS: () => expect(mcp({ TRACKER_TOOLS: " whoami " })).not.to.deep.equal(mcp({})),
  TRACKER_READ_ONLY: () => expect(mcp({ TRACKER_READ_ONLY: "1" })).not.to.deep.equal(mcp({})),
  TRACKER_CAPTURE: () => expect(mcp({ TRACKER_CAPTURE: "true" }).capture).to.equal(true),
  MCP_HOST: () => {
    expect(serves({ MCP_HOST: "fd00::1" }, { host: "[fd00::1]:4100" })).to.equal(true);
    expect(serves({ MCP_HOST: "Tracker.Example.com" }, { host: "tracker.example.com:4100" })).to.equal(true);
  },
  MCP_PORT: () => expect(mcp({ MCP_PORT: "65535" }).port).to.equal(65_535),
  MCP_PUBLIC_URL: () =>
    expect(serves({ MCP_PUBLIC_URL: "https://A.example/mcp" }, { host: "a.example" })).to.equal(true),
  MCP_ALLOWED_HOSTS: () => expect(serves({ MCP_ALLOWED_HOSTS: "[fd00::2]" }, { host: "[fd00::2]:1" })).to.equal(true),
  MCP_ALLOWED_ORIGINS: () =>
    expect(
      serves(
        { MCP_ALLOWED_ORIGINS: "https://[fd00::2]:8443" },
        { host: "localhost", origin: "https://[fd00::2]:8443" },
      ),
    ).to.equal(true),
  SHUTDOWN_DELAY: () => expect(mcp({ SHUTDOWN_DELAY: "300" }).shutdownDelay).to.equal(300),
  METRICS: () => expect(mcp({ METRICS: "on" }).metrics).to.equal(true),
  METRICS_TOKEN: () => expect(mcp({ METRICS: "on", METRICS_TOKEN: TOKEN }).metricsToken).to.equal(TOKEN),
};

const MCP_REFUSED: Partial<Record<McpName, string[]>> = {
  TRACKER_URL: ["https://a.example/?x=1", "https://a.example/#x", "https://u:p@a.example"],
  MCP_PUBLIC_URL: ["https://a.example/mcp#x", "https://u:p@a.example/mcp"],
  MCP_ALLOWED_HOSTS: ["Tracker.example.com", "tracker.example.com:4100", "fd00::1"],
  MCP_ALLOWED_ORIGINS: ["https://a.example/", "https://A.example", "a.example", "https://a.example:443"],
  METRICS_TOKEN: ["ключ из многих букв", " sixteen or more "],
};

describe("settings", () => {
  for (const [name, { env, shows, showsOf }] of Object.entries(SERVER))
    it(`of the server: ${name} takes effect with an unusual value`, async () => {
      const given: Record<string, string> = await env();
      if (shows) {
        const app = await startServer({ DATABASE_URL: "", ...given });
        try {
          await shows(app, given);
        } finally {
          await app.close();
        }
      }
      if (!showsOf) return;
      const DATA_DIR = mkdtempSync(join(tmpdir(), "settings-"));
      copyEmptyDatabase(DATA_DIR);
      const server = spawnServer({ DATA_DIR, TRACKWAY_BOOTSTRAP: "off", ...given });
      try {
        await showsOf(server, given);
      } finally {
        await server.stop();
      }
    });

  it("of the server: values without effect are refused with one line that names the setting", () => {
    for (const [name, all] of Object.entries(REFUSED))
      for (const env of all)
        expect(() => readConfig(env), JSON.stringify(env)).to.throw(new RegExp(`^${name}: [^\\n]+$`));
  });

  it("of the server: PUBLIC_URL with a path ends the start with exit code 2 and one line", async () => {
    const server = spawnServer({ PUBLIC_URL: "https://tracker.example.com/trackway" });
    expect(await server.ended).to.equal(2);
    expect(server.output()).to.match(/^trackway: PUBLIC_URL: takes an address without a path[^\n]+\n$/);
  });

  for (const [name, shows] of Object.entries(MCP))
    it(`of the MCP server: ${name} takes effect with an unusual value`, () => void shows());

  it("of the MCP server: values without effect are refused with one line that names the setting", () => {
    for (const [name, values] of Object.entries(MCP_REFUSED))
      for (const value of values)
        expect(() => mcp({ [name]: value }), `${name}=${value}`).to.throw(new RegExp(`^${name} [^\\n]+$`));
  });

  it("of the command line: every variable in its help is read, and a wrong value is named", () => {
    const help = readFileSync("cli/program.ts", "utf8");
    const names = [...help.matchAll(/^ {2}(TRACKWAY_\w+)/gm)].map(([, name]) => String(name));
    const sources = readdirSync("cli", { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && path !== "program.ts")
      .map((path) => readFileSync(join("cli", path), "utf8"))
      .join("\n");
    expect(names.filter((name) => !sources.includes(name))).to.deep.equal([]);
  });
});
