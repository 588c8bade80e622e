import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { type DocumentServer, jsonPage, startDocumentServer } from "../support/accounts/client-documents.ts";
import {
  createAuthorizationRequest,
  getWithoutRedirect,
  postJson,
  REDIRECT_URI,
  sendDecision,
} from "../support/accounts/oauth.ts";
import { connectApp } from "../support/accounts/oauth-program.ts";
import { copyEmptyDatabase } from "../support/db/empty-database.ts";
import { findFreePort } from "../support/db/postgres.ts";
import { LISTENING_LINE, type ServerProcess, spawnServer } from "../support/run/process.ts";
import { createOrganization, startServer, type Tenant } from "../support/server.ts";
import { hasBrowser, releaseContexts, startSharedBrowser } from "../support/web/browser.ts";

/** Starts a server with MCP as an operator does. The server trusts the certificate of the documents' host. */
async function startTrusting({ authority }: DocumentServer, env: Record<string, string> = {}) {
  const port = await findFreePort();
  const DATA_DIR = await mkdtemp(join(tmpdir(), "trackway-oauth-"));
  copyEmptyDatabase(DATA_DIR);
  const server = spawnServer({
    DATA_DIR,
    TRACKWAY_BOOTSTRAP: "off",
    MCP_PORT: String(port),
    NODE_EXTRA_CA_CERTS: authority,
    OAUTH_ALLOW_PRIVATE: "on",
    OAUTH_CLIENT_DOCUMENTS: "on",
    ...env,
  });
  const url = (await server.printed(LISTENING_LINE))[1] ?? "";
  await server.printed(/MCP over HTTP at/);
  return { server, url, mcp: `http://127.0.0.1:${port}/mcp` };
}

describe("an app with a client metadata document", () => {
  let documents: DocumentServer;
  let server: ServerProcess;
  let tenant: Tenant;
  let mcp: string;
  before(async () => {
    documents = await startDocumentServer();
    const started = await startTrusting(documents);
    server = started.server;
    mcp = started.mcp;
    tenant = await createOrganization({ url: started.url });
  });
  after(async () => {
    await server?.stop();
    documents?.close();
  });

  const described = (path: string, more: object = {}) => {
    const client_id = documents.url + path;
    const document = {
      client_id,
      client_name: "Described",
      redirect_uris: [REDIRECT_URI],
      token_endpoint_auth_method: "none",
    };
    documents.pages.set(path, jsonPage({ ...document, ...more }));
    return client_id;
  };
  /** Returns the status of a request for consent, and the client that the page shows, or the error. */
  const told = async (client_id: string, to: Tenant = tenant) => {
    const { query } = await createAuthorizationRequest(to.url, { client_id });
    const { status, body } = await postJson(
      to.url,
      "/oauth/consent/request",
      { query },
      { authorization: `Bearer ${to.accessToken}` },
    );
    return [status, body.error_description ?? body.client];
  };
  const USELESS = "The description of this program is of no use:";

  it("is connected by the SDK from the address of MCP alone", async function () {
    if (!hasBrowser()) this.skip();
    const browser: Browser = await startSharedBrowser();
    try {
      const metadataUrl = described("/program.json", { redirect_uris: ["http://127.0.0.1/callback"] });
      const program = await connectApp({ mcp, tenant, browser, metadataUrl });
      expect(program.page).to.contain("Described").and.contain(new URL(documents.url).host);
      expect(program.provider.stored.client?.client_id).to.equal(metadataUrl);
      const tools = (await program.client.listTools()).tools.map(({ name }) => name);
      expect(tools).to.include("list_issues");
      const { isError } = await program.client.callTool({ name: "whoami", arguments: {} });
      expect(isError ?? false).to.equal(false);
      await program.close();
    } finally {
      await releaseContexts(browser);
    }
  });

  it("attack: its document is not fetched for a signed-out user", async () => {
    const client_id = described("/unread.json");
    const { query } = await createAuthorizationRequest(tenant.url, { client_id });
    expect((await getWithoutRedirect(tenant.url, `/oauth/authorize?${query}`)).status).to.equal(200);
    expect((await postJson(tenant.url, "/oauth/consent/request", { query })).status).to.equal(401);
    expect((await postJson(tenant.url, "/oauth/consent", { query, decision: "deny" })).status).to.equal(401);
    expect(documents.asked).to.not.include("/unread.json");
  });

  it("is fetched once per hour", async () => {
    const client_id = described("/cached.json");
    for (let times = 0; times < 3; times += 1) expect((await told(client_id))[0]).to.equal(200);
    expect(documents.asked.filter((path) => path === "/cached.json")).to.have.length(1);
  });

  it("attack: a document that redirects, to a private address or elsewhere, is refused", async () => {
    documents.pages.set(
      "/moved.json",
      (response) => void response.writeHead(302, { location: `${documents.url}/program.json` }).end(),
    );
    expect(await told(`${documents.url}/moved.json`)).to.deep.equal([
      401,
      `${USELESS} it was answered with 302, and must be with 200.`,
    ]);
  });

  it("attack: a document with another client id, a secret, or forbidden redirects is refused", async () => {
    const other = await createOrganization({ url: tenant.url });
    for (const [at, more] of [
      { client_id: `${documents.url}/program.json` },
      { token_endpoint_auth_method: "client_secret_basic" },
      { redirect_uris: ["javascript:alert(1)"] },
      { redirect_uris: ["http://evil.example/"] },
      { redirect_uris: [] },
    ].entries()) {
      const [status, words] = await told(described(`/bad-${at}.json`, more), other);
      expect([status, String(words).startsWith(USELESS)], String(words)).to.deep.equal([401, true]);
    }
  });

  it("attack: a document that never ends, never arrives, or is too long is refused", async () => {
    const other = await createOrganization({ url: tenant.url });
    documents.pages.set("/long.json", (response) => void response.end(" ".repeat(70_000)));
    documents.pages.set("/silent.json", () => {});
    const long = await told(`${documents.url}/long.json`, other);
    const begun = Date.now();
    const silent = await told(`${documents.url}/silent.json`, other);
    expect([long, silent[0], Date.now() - begun < 15_000]).to.deep.equal([
      [401, `${USELESS} it has more than 65536 bytes.`],
      401,
      true,
    ]);
    expect(silent[1]).to.match(/it could not be read in time; .*OAUTH_CLIENT_DOCUMENTS=off/);
  });

  it("attack: a user can make the server fetch at most ten documents in ten minutes", async () => {
    const other = await createOrganization({ url: tenant.url });
    const answers = await Promise.all(
      Array.from({ length: 15 }, (_, n) => told(`${documents.url}/many-${n}.json`, other)),
    );
    expect(answers.filter(([status]) => status === 429)).to.have.length(5);
    expect(documents.asked.filter((path) => path.startsWith("/many-"))).to.have.length(10);
  });

  it("attack: a document at a private address in any notation is refused without a request", async () => {
    const guarded = await createOrganization(await startServer({ DATABASE_URL: "", OAUTH_CLIENT_DOCUMENTS: "on" }));
    const { port } = new URL(documents.url);
    const before = documents.asked.length;
    for (const host of [
      "localhost",
      "127.0.0.1",
      "[::1]",
      "[::ffff:7f00:1]",
      "169.254.169.254",
      "10.0.0.1",
      "0.0.0.0",
      "[fd00:ec2::254]",
    ]) {
      const [status, words] = await told(`https://${host}:${port}/program.json`, guarded);
      expect([status, String(words).startsWith(USELESS)], host).to.deep.equal([401, true]);
    }
    expect(documents.asked.length).to.equal(before);
  });

  it("attack: a malformed document address (http, no path, credentials, fragment, dot segments) is refused", async () => {
    for (const id of [
      `http://localhost:1/program.json`,
      documents.url,
      `${documents.url}/`,
      `${documents.url.replace("//", "//user@")}/program.json`,
      `${documents.url}/program.json#x`,
      `${documents.url}/a/../program.json`,
      `${documents.url.toUpperCase()}/program.json`,
    ]) {
      const { query } = await createAuthorizationRequest(tenant.url, { client_id: id });
      expect((await sendDecision(tenant, query)).body.error, id).to.equal("invalid_client");
    }
  });

  it("is accepted on a server with a public address, and on a loopback server only if enabled", async () => {
    const supported = async (env: Record<string, string>) => {
      const { url } = await startServer({ DATABASE_URL: "", ...env });
      const { body } = await getWithoutRedirect(url, "/.well-known/oauth-authorization-server");
      return [body.client_id_metadata_document_supported, "registration_endpoint" in body];
    };
    expect(await supported({})).to.deep.equal([false, true]);
    expect(await supported({ PUBLIC_URL: "https://tracker.example.com" })).to.deep.equal([true, true]);
    expect((await getWithoutRedirect(tenant.url, "/.well-known/oauth-authorization-server")).body).to.include({
      client_id_metadata_document_supported: true,
    });
  });

  it("is refused and not announced in the metadata if switched off", async () => {
    const off = await createOrganization(
      await startServer({ DATABASE_URL: "", OAUTH_CLIENT_DOCUMENTS: "off", OAUTH_REGISTRATION: "off" }),
    );
    const { body } = await getWithoutRedirect(off.url, "/.well-known/oauth-authorization-server");
    expect([body.client_id_metadata_document_supported, "registration_endpoint" in body]).to.deep.equal([false, false]);
    const { query } = await createAuthorizationRequest(off.url, { client_id: `${documents.url}/program.json` });
    expect((await sendDecision(off, query)).body.error).to.equal("invalid_client");
    expect((await postJson(off.url, "/oauth/register", { redirect_uris: [REDIRECT_URI] })).status).to.equal(404);
  });
});
