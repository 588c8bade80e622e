import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { TLSSocket } from "node:tls";
import { expect } from "chai";
import { openDatabase } from "../../db/open.ts";
import { buildClientSettings } from "../../db/postgres/connect.ts";
import { createCliUser } from "../support/cli/cli.ts";
import { findFreePort } from "../support/db/postgres.ts";
import { MCP_BIN } from "../support/mcp.ts";
import { type Certificate, createSelfSignedCertificate } from "../support/run/certificates.ts";
import { spawnServer } from "../support/run/process.ts";

const KEY = `trk_api_${"0".repeat(40)}`;
const START = /npm start|start PostgreSQL/;

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Returns the lines that the CLI and the MCP server print about a server that they cannot use. */
async function linesOf(url: string, env: Record<string, string> = {}): Promise<string[]> {
  const own = { TRACKWAY_URL: url, TRACKWAY_API_KEY: KEY, ...env };
  const cli = await createCliUser().run(["whoami"], { env: own });
  const child = spawn(process.execPath, [MCP_BIN, "check"], {
    env: { PATH: process.env["PATH"], TRACKER_URL: url, TRACKER_API_KEY: KEY, ...env },
  });
  const [out] = await Promise.all([text(child.stdout), once(child, "close")]);
  expect(cli.code).to.equal(1);
  expect(cli.stderr).to.match(/^trackway: [^\n]+\n$/);
  expect(child.exitCode).to.equal(1);
  return [cli.stderr, out.split("\n")[0] ?? "", out.split("\n")[1] ?? ""];
}

/** Returns the message with which the server refuses a database. */
const refusalOf = async (url: string): Promise<string> => {
  try {
    await (await openDatabase({ url, directUrl: undefined, dataDir: "", poolSize: 2 })).close();
    return "";
  } catch (error) {
    expect((error as Error).name).to.equal("DatabaseOpenError");
    return (error as Error).message;
  }
};

/** Creates a server that speaks enough of PostgreSQL's protocol to refuse with a code. */
const refusing = (code: string): Server =>
  createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      const fields = Buffer.from(`SFATAL\0C${code}\0Mrefused for the test\0\0`);
      const head = Buffer.alloc(5);
      head.write("E");
      head.writeInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, fields]));
    });
  });

/** Puts TLS in front of PostgreSQL, as PostgreSQL's own `ssl = on` does. */
const withTls = ({ key, cert }: Certificate, port: number, host: string): Server =>
  createServer((socket: Socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("S");
      const secure = new TLSSocket(socket, { isServer: true, key, cert });
      secure.on("error", () => socket.destroy());
      // A client that does not trust the certificate closes the connection before this event.
      secure.once("secure", () => {
        const behind = connect(port, host).on("error", () => socket.destroy());
        secure.pipe(behind).pipe(secure);
      });
    });
  });

describe("the fix in an error message", () => {
  it("fits the cause in each client: nothing listens, any fault of TLS, no HTTP, a closed connection", async () => {
    const good = createSelfSignedCertificate();
    const other = createSelfSignedCertificate("DNS:other.example");
    const secure = createHttpsServer(good, (_, response) => response.end("{}"));
    const elsewhere = createHttpsServer(other, (_, response) => response.end("{}"));
    const plain = createHttpServer((_, response) => response.end("{}"));
    const silent = createServer((socket) => socket.destroy());
    const chatty = createServer((socket) => socket.on("error", () => {}).end("220 mail.example.com ESMTP\r\n"));
    const [at, wrong, http, closed, smtp] = await Promise.all(
      [secure, elsewhere, plain, silent, chatty].map((server) => listening(server)),
    );
    // fetch refuses some ports, such as 1.
    const free = `http://127.0.0.1:${await findFreePort()}`;
    const cases: [string, RegExp, Record<string, string>?][] = [
      [free, /ECONNREFUSED.*npm start/],
      [`https://127.0.0.1:${at}`, /certificate.*DEPTH_ZERO_SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/i],
      [`https://127.0.0.1:${wrong}`, /another host.*host name of the certificate/, { NODE_EXTRA_CA_CERTS: other.path }],
      [`https://127.0.0.1:${http}`, /does not speak TLS.*http:\/\//],
      [`http://127.0.0.1:${closed}`, /connection was closed/],
      [`http://127.0.0.1:${smtp}`, /does not speak HTTP.*https:\/\//],
      [`http://127.0.0.1:${at}`, /connection was closed|does not speak HTTP/],
      ["http://no-such-host.invalid", /no host of that name.*correct the host|name server does not answer/i],
    ];
    for (const [url, pattern, env] of cases) {
      for (const line of await linesOf(url, env)) {
        if (env && !line.includes("another host")) continue;
        expect(line.replace(/\n$/, ""), url).to.match(pattern);
        if (url !== free) expect(line, url).to.not.match(START);
      }
    }
    for (const server of [secure, elsewhere, plain, silent, chatty]) server.close();
  });

  it("fits each SQLSTATE with which PostgreSQL refuses a start, and is absent for an unknown SQLSTATE", async () => {
    const cures: [string, RegExp][] = [
      ["28P01", /correct the user and the password in DATABASE_URL$/],
      ["28000", /pg_hba\.conf/],
      ["3D000", /create it, or correct DATABASE_URL$/],
      ["42501", /grant it/],
      ["53300", /max_connections/],
      ["53100", /make room/],
      ["57P03", /wait for PostgreSQL$/],
      ["57P01", /start it$/],
      ["25006", /name the primary/],
      ["XX000", /\(refused for the test; XX000\)$/],
      ["42P01", /\(refused for the test; 42P01\)$/],
    ];
    for (const [code, cure] of cures) {
      const server = refusing(code);
      const message = await refusalOf(`postgres://app:pw@127.0.0.1:${await listening(server)}/app`);
      server.close();
      expect(message, code).to.match(/^DATABASE_URL: [^\n]+$/);
      expect(message, code).to.match(cure).and.contain(code);
      expect(message, code).to.not.match(/start PostgreSQL|restore/);
    }
    expect(await refusalOf("postgres://app:pw@127.0.0.1:1/app")).to.match(/ECONNREFUSED.*start PostgreSQL/);
    const missing = "postgres://app:pw@127.0.0.1:1/app?sslmode=verify-full&sslrootcert=/nowhere/root.pem";
    expect(await refusalOf(missing)).to.match(/the file \/nowhere\/root\.pem that it names cannot be read \(ENOENT\)/);
  });

  it("for PostgreSQL's own certificate names the file and libpq's mode, and no mode verifies less than before", async () => {
    const target = new URL(process.env["TEST_DATABASE_URL"] ?? "postgres://nobody@127.0.0.1:1/none");
    const certificate = createSelfSignedCertificate();
    const front = withTls(certificate, Number(target.port || 5432), target.hostname);
    const port = await listening(front);
    const url = (query: string) => `postgres://${target.username}@127.0.0.1:${port}${target.pathname}?${query}`;
    for (const mode of ["require", "prefer", "verify-ca", "verify-full"]) {
      const message = await refusalOf(url(`sslmode=${mode}`));
      expect(message, message).to.match(
        /certificate.*DEPTH_ZERO_SELF_SIGNED_CERT.*sslrootcert=FILE.*uselibpqcompat=true&sslmode=require/,
      );
      expect(message).to.not.match(START);
      expect(buildClientSettings(url(`sslmode=${mode}`)).connectionString).to.contain("sslmode=verify-full");
    }
    if (process.env["TEST_DATABASE_URL"]) {
      const { withClient } = await import("../../db/postgres/connect.ts");
      for (const query of [`sslmode=require&sslrootcert=${certificate.path}`, "uselibpqcompat=true&sslmode=require"])
        expect(
          await withClient(url(query), "DATABASE_URL", async (client) => (await client.query("select 1")).rowCount),
        ).to.equal(1);
    }
    front.close();
  });

  it("for PostgreSQL without TLS suggests sslmode=disable, not a start of PostgreSQL", async () => {
    const server = createServer((socket) => socket.once("data", () => socket.end("N")));
    const port = await listening(server);
    const message = await refusalOf(`postgres://app:pw@127.0.0.1:${port}/app?sslmode=require`);
    server.close();
    expect(message).to.match(/does not speak TLS.*sslmode=disable/);
  });

  it("at the start of the server is one line, with exit code 2", async () => {
    const server = refusing("28P01");
    const url = `postgres://app:a secret password@127.0.0.1:${await listening(server)}/app`;
    const started = spawnServer({ DATABASE_URL: url, JWT_SECRET: "s".repeat(40) });
    expect(await started.ended).to.equal(2);
    server.close();
    expect(started.output()).to.match(
      /^trackway: DATABASE_URL: [^\n]*28P01[^\n]*correct the user and the password[^\n]*\n$/,
    );
    expect(started.output()).to.not.contain("secret password");
  });
});
