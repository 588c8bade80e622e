import { expect } from "chai";
import fc from "fast-check";
import { openDatabase } from "../../db/open.ts";
import { readConfig as readMcpConfig } from "../../mcp/config.ts";
import { parseConfiguredMailServer } from "../../server/accounts/mail-server.ts";
import { readConfig } from "../../server/config.ts";
import { createCliUser } from "../support/cli/cli.ts";
import { spawnServer } from "../support/run/process.ts";
import { scaleRuns } from "../support/run/runs.ts";

const ASCII = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
const SECRET = fc.shuffledSubarray(ASCII, { minLength: 12, maxLength: 94 }).map((all) => all.join(""));
/** Valid secret without variety, so no part of a message can be mistaken for a leak of this secret. */
const JWT_SECRET = "j".repeat(40);

/** Finds four consecutive characters of a secret in a text that no message contains anyway. */
const leakIn = (text: string, secret: string): string | undefined =>
  Array.from({ length: Math.max(secret.length - 3, 0) }, (_, at) => secret.slice(at, at + 4)).find((part) =>
    text.includes(part),
  );

/** Starts the server with settings and a database at which nothing listens. Returns the printed line. */
async function printed(env: Record<string, string>): Promise<string> {
  try {
    const config = readConfig(env);
    parseConfiguredMailServer(config);
    if (!config.DATABASE_URL) return "";
    await (
      await openDatabase({ url: config.DATABASE_URL, directUrl: config.DATABASE_DIRECT_URL, dataDir: "", poolSize: 2 })
    ).close();
    return "";
  } catch (error) {
    return String((error as Error).message);
  }
}

describe("a URL that contains a secret", () => {
  it("never shows four consecutive characters of the secret in a message of the server", async () => {
    const urls = fc.constantFrom<(secret: string) => Record<string, string>>(
      (secret) => ({ DATABASE_URL: `postgres://app:${secret}@127.0.0.1:1/app` }),
      (secret) => ({ DATABASE_URL: `postgres://${secret.replace(":", "")}@127.0.0.1:1/app` }),
      (secret) => ({ DATABASE_URL: `postgres://app@127.0.0.1:1/app?password=${secret}` }),
      (secret) => ({
        DATABASE_URL: `postgres://127.0.0.1:1/app`,
        DATABASE_DIRECT_URL: `postgres://a:${secret}@127.0.0.1:1/app`,
      }),
      (secret) => ({ SMTP_URL: `smtps://app:${secret}@127.0.0.1`, MAIL_FROM: "a@example.com" }),
      (secret) => ({ PUBLIC_URL: `https://app:${secret}@tracker.example.com` }),
      (secret) => ({ MCP_PUBLIC_URL: `https://app:${secret}@tracker.example.com/mcp` }),
    );
    await fc.assert(
      fc.asyncProperty(urls, SECRET, async (urlOf, secret) => {
        const text = await printed({ JWT_SECRET, ...urlOf(secret) });
        expect(leakIn(text, secret), text).to.equal(undefined);
        expect(text).to.not.include("\n");
      }),
      { numRuns: scaleRuns(600) },
    );
  });

  it("never shows the secret in a message of the MCP server or the command line", async () => {
    const person = createCliUser();
    await fc.assert(
      fc.asyncProperty(SECRET, fc.constantFrom("http", "https"), async (secret, scheme) => {
        const url = `${scheme}://app:${secret}@127.0.0.1:1`;
        let text: string | undefined;
        try {
          readMcpConfig([], { TRACKER_URL: url });
        } catch (error) {
          text = (error as Error).message;
        }
        expect(text, "the URL was accepted").to.be.a("string");
        const { code, stdout, stderr } = await person.run(["whoami"], { env: { TRACKWAY_URL: url } });
        const login = await person.run(["login", url]);
        expect([code, login.code]).to.deep.equal([2, 2]);
        for (const said of [String(text), stdout + stderr, login.stdout + login.stderr])
          expect(leakIn(said, secret), said).to.equal(undefined);
      }),
      { numRuns: scaleRuns(100) },
    );
  });

  it("with an unencoded password gives an error about percent-encoding, and exit code 2", async () => {
    const DATABASE_URL = "postgres://app:p@127.0.0.1#Ge/heim?x@127.0.0.1:1/app";
    const server = spawnServer({ DATABASE_URL, JWT_SECRET });
    expect(await server.ended).to.equal(2);
    expect(server.output()).to.match(/^trackway: DATABASE_URL: [^\n]*percent-encode[^\n]*\n$/);
    expect(leakIn(server.output(), "p@127.0.0.1#Ge/heim?x")).to.equal(undefined);
  });

  it("still works if unambiguous: an @ before the last one, and encoded characters", () => {
    for (const password of ["p@ss", "p%40ss", "p:ss", "p ss", "100%", "%23%2F%3F"]) {
      const DATABASE_URL = `postgres://app:${password}@127.0.0.1/app?user=a@b`;
      expect(readConfig({ DATABASE_URL, JWT_SECRET }).DATABASE_URL).to.equal(DATABASE_URL);
    }
  });
});
