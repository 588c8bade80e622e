import { readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { ConfigError, readConfig } from "../server/config.ts";

const URL = "postgres://trackway@127.0.0.1/none";
const JWT_SECRET = "a secret that is long enough to be one";
const SLIPS = [" ", "true", "-1", "1e3", "0x10", "1.5", "ON", "yes", "12 34", "∞", "9".repeat(20), "mysql://x/y"];
const NAMES = [...readFileSync("server/config.ts", "utf8").matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) =>
  String(name),
);
/** What takes any text. */
const FREE = new Set(["HOST", "ALLOWED_HOSTS", "DATA_DIR", "INGEST_REDACT"]);

describe("the environment", () => {
  it("is read, or refused in one line that names the variable", () => {
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
      { numRuns: 500 },
    );
  });

  it("is documented, with every variable", () => {
    const documents = ["operations", "ingest", "graphql"].map((name) => readFileSync(`docs/${name}.md`, "utf8")).join();
    const named = (name: string) => documents.includes(`\`${name}\``) || documents.includes(`${name}`);
    expect(NAMES.filter((name) => !named(name))).to.deep.equal([]);
  });

  it("takes origins as browsers send them, and refuses what would never match one", () => {
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

  it("may hold what others put there: empty values, and what Kubernetes sets for a service of our name", () => {
    const theirs = {
      TRACKWAY_PORT: "tcp://10.0.0.1:4000",
      TRACKWAY_SERVICE_HOST: "10.0.0.1",
      TRACKWAY_PORT_4000_TCP: "x",
    };
    expect(readConfig({ ...theirs, PORT: "", DATABASE_POOL: "", TRACKWAY_BOOTSTRAP: "" })).to.include({ PORT: 4000 });
  });

  it("may hold what the command line reads, so that a shell that has it can start the server too", () => {
    const names = [...readFileSync("cli/program.ts", "utf8").matchAll(/^ {2}(TRACKWAY_\w+)/gm)].map(([, name]) =>
      String(name),
    );
    expect(names).to.include("TRACKWAY_URL");
    expect(() => readConfig(Object.fromEntries(names.map((name) => [name, "x"])))).not.to.throw();
  });

  it("is refused where one variable leaves another without effect", () => {
    const database = { DATABASE_URL: URL, JWT_SECRET };
    expect(() => readConfig({ ...database, TRACKWAY_BOOTSTRAP: "on" })).to.throw(/^TRACKWAY_BOOTSTRAP: /);
    expect(readConfig({ ...database, TRACKWAY_BOOTSTRAP: "off", DATABASE_POOL: "5" }).DATABASE_POOL).to.equal(5);
    expect(() => readConfig({ DATABASE_POOL: "5" })).to.throw(/^DATABASE_POOL: /);
    expect(() => readConfig({ DATABASE_DIRECT_URL: URL })).to.throw(/^DATABASE_DIRECT_URL: /);
    expect(() => readConfig({ TRACKWAY_BOOTSTRP: "on" })).to.throw(/^TRACKWAY_BOOTSTRP: /);
    expect(readConfig({ INGEST_RATE_EVENTS: "off", LOGIN_THROTTLE: "0" })).to.include({ INGEST_RATE_EVENTS: 0 });
  });
});
