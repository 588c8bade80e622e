import { expect } from "chai";
import fc from "fast-check";
import { environmentSchema as mcpSettings, readConfig as readMcpConfig } from "../../mcp/config.ts";
import { configSchema, readConfig } from "../../server/config.ts";
import { createCliUser, createSignedInUser } from "../support/cli/cli.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { createOrganization } from "../support/server.ts";

/** Reads an environment. Returns the settings, or the error message that prevents the start. */
const outcome = (read: (env: NodeJS.ProcessEnv) => unknown, env: NodeJS.ProcessEnv): unknown => {
  try {
    return read(env);
  } catch (error) {
    return (error as Error).message;
  }
};

const PROGRAMS = [
  { read: readConfig, names: Object.keys(configSchema.shape) },
  { read: (env: NodeJS.ProcessEnv) => readMcpConfig([], env), names: Object.keys(mcpSettings.shape) },
];

/** A valid value of each variable with a fixed syntax. Surrounding spaces and quotes must not change the value. */
const VALUES: Readonly<Record<string, string>> = {
  PORT: "4001",
  HOST: "127.0.0.1",
  MCP_PORT: "4101",
  LOG_LEVEL: "warn",
  METRICS: "on",
  JOBS: "off",
  TRUST_PROXY: "on",
  SIGNUP: "off",
  BACKUP_KEEP: "3d",
  EVENT_RETENTION_DAYS: "7",
  SHUTDOWN_DELAY: "3",
  PUBLIC_URL: "https://tracker.example.com",
  ALLOWED_HOSTS: "tracker.example.com",
  CORS_ORIGINS: "https://app.example.com",
  LOGIN_THROTTLE: "off",
  OAUTH: "off",
  TRACKER_URL: "https://tracker.example.com",
  TRACKER_TOOLSETS: "issues",
  TRACKER_READ_ONLY: "on",
  TRACKER_CAPTURE: "on",
  MCP_HOST: "127.0.0.1",
  MCP_PUBLIC_URL: "https://tracker.example.com/mcp",
  MCP_ALLOWED_HOSTS: "tracker.example.com",
  MCP_ALLOWED_ORIGINS: "https://app.example.com",
};

describe("an environment variable", () => {
  it("counts as unset when empty: all of them, and any set of them", () => {
    for (const { read, names } of PROGRAMS) {
      const unset = outcome(read, {});
      fc.assert(
        fc.property(fc.subarray(names), (some) => {
          expect(outcome(read, Object.fromEntries(some.map((name) => [name, ""])))).to.deep.equal(unset);
        }),
        { numRuns: scaleRuns(200) },
      );
    }
  });

  it("is read without surrounding spaces and quotes, unless it contains a secret or a path", () => {
    for (const { read, names } of PROGRAMS) {
      for (const name of names.filter((each) => Object.hasOwn(VALUES, each))) {
        const value = VALUES[name] ?? "";
        const plain = outcome(read, { [name]: value });
        for (const written of [` ${value}`, `${value} `, `\t${value}\n`, `"${value}"`, `'${value}'`, ` "${value}" `])
          expect(outcome(read, { [name]: written }), `${name}=${written}`).to.deep.equal(plain);
      }
    }
  });

  it("keeps every byte of a secret, or is refused", () => {
    const secret = fc.string({ minLength: 40, maxLength: 60, unit: "grapheme-ascii" });
    const framed = fc.tuple(fc.constantFrom("", " ", '"', "'"), secret).map(([frame, text]) => frame + text + frame);
    fc.assert(
      fc.property(framed, (text) => {
        const isShort = text.trim().length < 32;
        const jwt = outcome((env) => readConfig(env).JWT_SECRET, { JWT_SECRET: text });
        expect(jwt).to.satisfy((value: string) => (isShort ? value.startsWith("JWT_SECRET: ") : value === text));
        // The value is sent in a header, which has no spaces at either end.
        const isFramed = text.trim() !== text;
        for (const token of [
          outcome((env) => readConfig(env).METRICS_TOKEN, { METRICS: "on", METRICS_TOKEN: text }),
          outcome((env) => readMcpConfig([], env).metricsToken, { METRICS_TOKEN: text }),
        ])
          expect(token).to.satisfy((value: string) => (isFramed ? value.startsWith("METRICS_TOKEN") : value === text));
      }),
      { numRuns: scaleRuns(200) },
    );
  });

  it("with a quoted folder or database is refused, because another folder or password could be meant", () => {
    for (const name of ["DATA_DIR", "BACKUP_DIR", "DATABASE_URL", "SMTP_URL"]) {
      expect(outcome(readConfig, { [name]: '"./data"' })).to.match(new RegExp(`^${name}: the value is in quotes`));
    }
    expect(outcome(readConfig, { DATA_DIR: "./data " })).to.match(/^DATA_DIR: the value begins or ends with a space/);
    expect(readConfig({ DATA_DIR: './"data"' }).DATA_DIR).to.equal('./"data"');
    const url = "postgres://app@127.0.0.1/app";
    const secret = { JWT_SECRET: "s".repeat(40) };
    expect(readConfig({ DATABASE_URL: `${url}\n`, ...secret }).DATABASE_URL).to.equal(url);
  });

  it("of the command line counts as unset when empty, in every command that reads it", async () => {
    const tenant = await createOrganization();
    const person = await createSignedInUser(tenant);
    const names = ["TRACKWAY_URL", "TRACKWAY_API_KEY", "TRACKWAY_TEAM", "TRACKWAY_SESSION", "TRACKWAY_PASSWORD"];
    const none = Object.fromEntries([...names, "TRACKWAY_INGEST_KEY", "XDG_CONFIG_HOME"].map((name) => [name, ""]));
    for (const args of [["list"], ["ready"], ["whoami"], ["search", "nothing"], ["create", "--help"]]) {
      const [plain, empty] = [await person.run(args), await person.run(args, { env: none })];
      expect(empty, args.join(" ")).to.deep.equal(plain);
      expect(empty.code, empty.stderr).to.equal(0);
    }
  });

  it("of the command line is read without surrounding spaces and quotes", async () => {
    const tenant = await createOrganization();
    await tenant.gql('mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }');
    const env = { TRACKWAY_URL: ` "${tenant.url}" `, TRACKWAY_API_KEY: tenant.apiKey, TRACKWAY_TEAM: "'ENG' " };
    const { code, stderr } = await createCliUser().run(["whoami"], { env });
    expect([code, stderr]).to.deep.equal([0, ""]);
    expect((await createCliUser().run(["list"], { env })).code).to.equal(0);
    const spaced = { ...env, TRACKWAY_API_KEY: `${tenant.apiKey}\n` };
    const told = await createCliUser().run(["whoami"], { env: spaced });
    expect(told.code).to.equal(0);
    expect(told.stderr).to.match(/TRACKWAY_API_KEY: spaces and line breaks around the key are ignored/);
  });
});
