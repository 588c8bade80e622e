import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { ConfigError, readConfig } from "../../server/config.ts";
import { scaleRuns } from "../support/run/runs.ts";

const URL = "postgres://trackway@127.0.0.1/none";
const JWT_SECRET = "a secret that is long enough to be one";
const SLIPS = [" ", "true", "-1", "1e3", "0x10", "1.5", "ON", "yes", "12 34", "∞", "9".repeat(20), "mysql://x/y"];
const NAMES = [...readFileSync("server/config.ts", "utf8").matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) =>
  String(name),
);
/** Variables that accept any text. */
const FREE = new Set(["HOST", "ALLOWED_HOSTS", "DATA_DIR", "INGEST_REDACT"]);

/** Names of settings long enough that no other program uses a similar name. */
const TELLING_NAMES = NAMES.filter((name) => name.length >= 9 && name.includes("_"));

/** Variables of shells, systems, CI, containers, clouds, databases and other programs. */
const OTHERS =
  `PATH HOME USER SHELL TERM LANG LC_ALL PWD OLDPWD SHLVL EDITOR VISUAL PAGER DISPLAY TZ TMPDIR HOSTNAME LOGNAME MAIL COLUMNS
  LINES PS1 IFS XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_SESSION_TYPE SSH_AUTH_SOCK SSH_CONNECTION SUDO_USER
  DBUS_SESSION_BUS_ADDRESS COLORTERM TERM_PROGRAM NO_COLOR FORCE_COLOR HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy
  ALL_PROXY NODE_ENV NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NVM_DIR npm_config_cache npm_config_registry npm_lifecycle_event
  npm_package_name npm_execpath npm_node_execpath INIT_CWD YARN_VERSION PNPM_HOME VOLTA_HOME CI GITHUB_ACTIONS GITHUB_TOKEN GITHUB_SHA
  GITHUB_REF GITHUB_WORKSPACE RUNNER_OS GITLAB_CI CI_JOB_ID CI_JOB_TOKEN CI_PROJECT_DIR CI_PIPELINE_ID JENKINS_HOME BUILD_ID BUILD_NUMBER
  JOB_NAME JOB_URL BUILD_URL CIRCLECI CIRCLE_JOB TRAVIS BUILDKITE DRONE TEAMCITY_VERSION KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT
  KUBERNETES_SERVICE_PORT_HTTPS KUBERNETES_PORT KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_ADDR POSTGRES_SERVICE_HOST POSTGRES_PORT
  POSTGRES_PORT_5432_TCP_PROTO REDIS_URL REDIS_HOST POD_NAME POD_NAMESPACE POD_IP NODE_NAME CONTAINER_NAME DOCKER_HOST DOCKER_CONFIG
  COMPOSE_PROJECT_NAME COMPOSE_FILE PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGDATA POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB
  MYSQL_HOST MYSQL_PASSWORD DATABASE_HOST DATABASE_PORT DATABASE_NAME DATABASE_USER DATABASE_PASSWORD DATABASE_SSL DB_HOST DB_PORT DB_URL
  APP_PORT API_PORT WEB_PORT TCP_PORT SMTP_HOST SMTP_PORT APP_URL API_URL BASE_URL APP_PUBLIC_URL PUBLIC_KEY PUBLIC_PATH SECRET SECRET_KEY
  SECRET_KEY_BASE SESSION_SECRET AUTH_SECRET API_KEY LOGLEVEL LOG_FILE LOG_FORMAT LOG_DIR DEBUG VERBOSE METRICS_PORT OAUTH_CLIENT_ID
  OAUTH_CLIENT_SECRET OAUTH_TOKEN AWS_REGION AWS_PROFILE AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY GOOGLE_APPLICATION_CREDENTIALS GCP_PROJECT
  AZURE_CLIENT_ID DYNO HEROKU_APP_NAME FLY_APP_NAME FLY_REGION RENDER RENDER_SERVICE_ID RAILWAY_ENVIRONMENT RAILWAY_PUBLIC_DOMAIN
  RAILWAY_STATIC_URL VERCEL VERCEL_URL OTEL_EXPORTER_OTLP_ENDPOINT OTEL_SERVICE_NAME SENTRY_DSN ANTHROPIC_API_KEY OPENAI_API_KEY
  CLAUDE_CONFIG_DIR CLAUDE_CODE_ENABLE_TELEMETRY CODEX_HOME GEMINI_API_KEY MCP_TIMEOUT MCP_TOOL_TIMEOUT MCP_HOST MCP_ALLOWED_HOSTS
  MCP_ALLOWED_ORIGINS TRACKER_URL TRACKER_API_KEY TRACKER_INGEST_KEY TRACKER_TOOLSETS SYSTEMD_EXEC_PID INVOCATION_ID JOURNAL_STREAM
  LISTEN_FDS WT_SESSION WSL_DISTRO_NAME PROCESSOR_ARCHITECTURE SystemRoot APPDATA LOCALAPPDATA ProgramFiles PORTS HOSTS JOB AUTH GHOST
  TRACKWAY_SERVICE_HOST TRACKWAY_PORT_4000_TCP TEST_DATABASE_URL SHADOW_DATABASE_URL`.split(/\s+/);

describe("the server's environment", () => {
  it("is refused with a misspelled setting, and the error names the setting", () => {
    const refusal = (name: string) => {
      try {
        readConfig({ [name]: "3" });
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(refusal("EVENT_RETENTION")).to.equal(
      "EVENT_RETENTION: there is no such variable; is EVENT_RETENTION_DAYS meant? docs/operations.md lists them all",
    );
    const known = new Set([...NAMES, ...OTHERS]);
    const letter = fc.constantFrom(..."ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    const edit = fc.tuple(fc.constantFrom("leave out", "put in", "replace", "swap"), fc.nat(), letter);
    const edited = (name: string, [how, place, by]: [string, number, string]) => {
      // The first letter of a short name stays, because a different first letter makes a different word.
      const at = name.length < 12 ? 1 + (place % (name.length - 1)) : place % name.length;
      const [start, end] = [name.slice(0, at), name.slice(at)];
      if (how === "leave out") return start + end.slice(1);
      if (how === "put in") return start + by + end;
      if (how === "replace") return start + by + end.slice(1);
      return start + (end[1] ?? "") + (end[0] ?? "") + end.slice(2);
    };
    const slip = fc.oneof(
      fc.tuple(fc.constantFrom(...TELLING_NAMES), edit).map(([name, one]) => edited(name, one)),
      fc.tuple(fc.constantFrom(...TELLING_NAMES), letter).map(([name, by]) => `${name}_${by}`),
      fc.constantFrom(...TELLING_NAMES).map((name) => name.toLowerCase()),
    );
    fc.assert(
      fc.property(slip, (name) => {
        fc.pre(!known.has(name) && !/_PORT$/.test(name));
        expect(refusal(name), name).to.match(
          new RegExp(`^${name}: there is no such variable[^\\n]+docs/operations.md`),
        );
      }),
      { numRuns: scaleRuns(2_000) },
    );
  });

  it("may contain variables of other programs, and names similar to a setting that is set", () => {
    for (const name of OTHERS) expect(() => readConfig({ [name]: "3" }), name).not.to.throw();
    expect(() => readConfig(Object.fromEntries(OTHERS.map((name) => [name, "3"])))).not.to.throw();
    expect(() =>
      readConfig({ DATABASE_URL: URL, JWT_SECRET, DATABASE_URL_UNPOOLED: URL, DATABASE_URI: URL }),
    ).not.to.throw();
    expect(() => readConfig(process.env)).not.to.throw();
  });

  it("is accepted, or refused with one line that names the variable", () => {
    const refusal = (env: Record<string, string>) => {
      try {
        readConfig(env);
        return undefined;
      } catch (error) {
        expect(error).to.be.instanceOf(ConfigError);
        return (error as Error).message;
      }
    };
    for (const name of NAMES.filter((one) => !FREE.has(one))) {
      for (const slip of SLIPS) {
        if (name === "JWT_SECRET" && slip.length >= 32) continue;
        expect(refusal({ [name]: slip }), `${name}=${slip}`).to.match(new RegExp(`^${name}: [^\\n]+$`));
      }
    }
    fc.assert(
      fc.property(fc.constantFrom(...NAMES), fc.string({ unit: "binary" }), (name, value) => {
        const told = refusal({ [name]: value });
        if (told) expect(told).to.match(/^[A-Z_]+: [^\n]+$/);
      }),
      { numRuns: scaleRuns(500) },
    );
  });

  it("is documented for every variable", () => {
    const documents = ["operations", "ingest", "graphql"].map((name) => readFileSync(`docs/${name}.md`, "utf8")).join();
    const named = (name: string) => documents.includes(`\`${name}\``) || documents.includes(`${name}`);
    expect(NAMES.filter((name) => !named(name))).to.deep.equal([]);
  });

  it("accepts origins as browsers send them, and refuses origins that never match", () => {
    expect(readConfig({}).CORS_ORIGINS).to.deep.equal([]);
    expect(readConfig({ CORS_ORIGINS: "*" }).CORS_ORIGINS).to.deep.equal(["*"]);
    const two = ["https://app.example.com", "http://[::1]:5173"];
    expect(readConfig({ CORS_ORIGINS: two.join(" , ") }).CORS_ORIGINS).to.deep.equal(two);
    const never = [
      ...["https://app.example.com/", "https://APP.example.com", "https://app.example.com:443", "app.example.com"],
      ...["null", "*,https://app.example.com", "https://*.example.com", "https://a.example,", "https://a@b.example"],
    ];
    for (const slip of never) expect(() => readConfig({ CORS_ORIGINS: slip }), slip).to.throw(/^CORS_ORIGINS: takes /);
  });

  it("may contain empty values, and the variables that Kubernetes sets for a service of the same name", () => {
    const theirs = {
      TRACKWAY_PORT: "tcp://10.0.0.1:4000",
      TRACKWAY_SERVICE_HOST: "10.0.0.1",
      TRACKWAY_PORT_4000_TCP: "x",
    };
    expect(readConfig({ ...theirs, PORT: "", DATABASE_POOL: "", TRACKWAY_BOOTSTRAP: "" })).to.include({ PORT: 4000 });
  });

  it("may contain the variables of the command line, so that a shell with them can start the server", () => {
    const names = [...readFileSync("cli/program.ts", "utf8").matchAll(/^ {2}(TRACKWAY_\w+)/gm)].map(([, name]) =>
      String(name),
    );
    expect(names).to.include("TRACKWAY_URL");
    expect(() => readConfig(Object.fromEntries(names.map((name) => [name, "x"])))).not.to.throw();
  });

  it("is refused if a variable makes another variable ineffective", () => {
    const database = { DATABASE_URL: URL, JWT_SECRET };
    expect(() => readConfig({ ...database, TRACKWAY_BOOTSTRAP: "on" })).to.throw(/^TRACKWAY_BOOTSTRAP: /);
    expect(readConfig({ ...database, TRACKWAY_BOOTSTRAP: "off", DATABASE_POOL: "5" }).DATABASE_POOL).to.equal(5);
    expect(() => readConfig({ DATABASE_POOL: "5" })).to.throw(/^DATABASE_POOL: /);
    expect(() => readConfig({ DATABASE_DIRECT_URL: URL })).to.throw(/^DATABASE_DIRECT_URL: /);
    expect(() => readConfig({ TRACKWAY_BOOTSTRP: "on" })).to.throw(/^TRACKWAY_BOOTSTRP: /);
    expect(readConfig({ INGEST_RATE_EVENTS: "off", LOGIN_THROTTLE: "0" })).to.include({ INGEST_RATE_EVENTS: 0 });
  });
});
