import { request as httpRequest } from "node:http";
import { expect } from "chai";
import fc from "fast-check";
import { findRedirectUriFault, isRegisteredRedirect } from "../../server/oauth/clients/redirect-uri.ts";
import {
  createAuthorizationRequest,
  getWithoutRedirect,
  postJson,
  REDIRECT_URI,
  registerApp,
  sendDecision,
} from "../support/accounts/oauth.ts";
import { createOrganization, type Tenant } from "../support/server.ts";

const HOME = "https://app.example.com/callback?from=trackway";

/** Addresses that a sloppy comparison confuses with `HOME`. */
const LOOK_ALIKES =
  `https://app.example.com.evil.example/callback?from=trackway https://evil.example/callback?from=trackway
  https://app.example.com@evil.example/callback?from=trackway https://app.example.com%2eevil.example/callback?from=trackway
  https://app.example.com:443/callback?from=trackway https://app.example.com:8443/callback?from=trackway
  http://app.example.com/callback?from=trackway HTTPS://APP.example.com/callback?from=trackway
  https://app.example.com./callback?from=trackway https://xapp.example.com/callback?from=trackway
  https://app.example.com/callback/?from=trackway https://app.example.com/callback/../evil?from=trackway
  https://app.example.com/callback%2f..%2fevil?from=trackway https://app.example.com//callback?from=trackway
  https://app.example.com/Callback?from=trackway https://app.example.com/callback https://app.example.com/callback?
  https://app.example.com/callback?from=trackway&to=evil https://app.example.com/callback?from=trackway#x
  https://app.example.com/callback?from=evil https:app.example.com/callback?from=trackway https:/app.example.com/callback
  https://app.example.com\\@evil.example/callback //app.example.com/callback?from=trackway javascript:alert(1)
  https://аpp.example.com/callback?from=trackway`.split(/\s+/);

/** Addresses that a sloppy comparison confuses with a loopback address, of which only the port may vary. */
const LOCAL_LOOK_ALIKES = `http://127.0.0.1:9/other http://localhost:9/callback http://127.0.0.1.evil.example/callback
  http://127.0.0.1:9@evil.example/callback http://127.0.0.1:80:90/callback https://127.0.0.1:9/callback
  http://127.0.0.1:9/callback/ http://127.0.0.1:9/callback?x http://127.1:9/callback http://2130706433:9/callback
  http://[::1]:9/callback http://127.0.0.1:evil/callback http://127.0.0.1:999999/callback http://127.0.0.2:9/callback
  http://127.0.0.1:/callback#x http://127.0.0.1:9\\@evil.example/callback`.split(/\s+/);

/** Apps with a URI scheme without a dot. */
const PROGRAMS = ["cursor", "vscode", "vscode-insiders", "windsurf", "claude", "zed", "warp", "raycast"];

describe("OAuth redirects: the server", () => {
  let tenant: Tenant;
  let url: string;
  before(async () => {
    tenant = await createOrganization();
    url = tenant.url;
  });

  /** Returns status and redirect target of both endpoints for a `redirect_uri` that the client has not registered. */
  const refusedAt = async (client_id: string, redirect_uri: string) => {
    const { query } = await createAuthorizationRequest(url, { client_id, redirect_uri });
    const page = await getWithoutRedirect(url, `/oauth/authorize?${query}`);
    const { status, body } = await sendDecision(tenant, query);
    return [page.status, page.headers.get("location"), status, body.redirect];
  };

  it("refuses a foreign redirect_uri", async () => {
    const client = await registerApp(url);
    expect(await refusedAt(client, "https://evil.example/callback")).to.deep.equal([400, null, 400, undefined]);
  });

  it(`refuses a look-alike redirect_uri, of ${LOOK_ALIKES.length} kinds`, async () => {
    const client = await registerApp(url, { redirect_uris: [HOME] });
    for (const uri of LOOK_ALIKES) expect(await refusedAt(client, uri), uri).to.deep.equal([400, null, 400, undefined]);
    expect((await refusedAt(client, HOME))[0]).to.equal(200);
  });

  it(`refuses a look-alike of a loopback redirect_uri, of ${LOCAL_LOOK_ALIKES.length} kinds`, async () => {
    const client = await registerApp(url);
    for (const uri of LOCAL_LOOK_ALIKES)
      expect(await refusedAt(client, uri), uri).to.deep.equal([400, null, 400, undefined]);
  });

  it("allows any port on a loopback address, and no other difference", async () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const named = [`http://${host}:3118/callback`];
      for (const port of ["", ":1", ":65535"])
        expect(isRegisteredRedirect(named, `http://${host}${port}/callback`)).to.equal(true);
      expect(isRegisteredRedirect(named, `http://${host}:3118/callback2`)).to.equal(false);
    }
    const client = await registerApp(url);
    expect((await refusedAt(client, "http://127.0.0.1:54321/callback"))[0]).to.equal(200);
  });

  it("refuses to register an address that a browser or the system would execute or open itself", async () => {
    const known = `javascript data vbscript file blob about view-source filesystem ws wss ftp mailto tel ms-msdt search-ms ms-officecmd
      ms-appinstaller smb shell feed chrome-extension chrome moz-extension resource jar intent itms-apps steam ssh telnet ldap`;
    for (const scheme of known.split(/\s+/))
      for (const rest of ["alert(1)", "javascript:alert(1)", "//x/y", "/x"])
        expect(findRedirectUriFault(`${scheme}:${rest}`), `${scheme}:${rest}`).to.be.a("string");
    const schemes = fc.stringMatching(/^[a-z][a-z0-9+-]{0,12}$/).filter((scheme) => !/^https?$/.test(scheme));
    fc.assert(
      fc.property(schemes, (scheme) => {
        const expected = PROGRAMS.includes(scheme) ? "undefined" : "string";
        expect(typeof findRedirectUriFault(`${scheme}://callback`)).to.equal(expected);
        expect(typeof findRedirectUriFault(`${scheme.toUpperCase()}://callback`)).to.equal(expected);
      }),
      { examples: PROGRAMS.map((scheme) => [scheme]) },
    );
    for (const uri of ["ms-msdt:/id", "feed:javascript:alert(1)"]) {
      const { body } = await postJson(url, "/oauth/register", { redirect_uris: [uri] });
      expect([body.error, body.error_description]).to.deep.equal([
        "invalid_redirect_uri",
        `A redirect URI ${findRedirectUriFault(uri)}.`,
      ]);
    }
  });

  it("allows the schemes of known apps, and any scheme that is a reversed domain", async () => {
    for (const uri of [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "vscode://publisher.extension/callback",
      "com.example.program:/callback",
      "io.github.a-program://callback",
    ]) {
      const client_id = await registerApp(url, { redirect_uris: [uri] });
      expect((await refusedAt(client_id, uri))[0], uri).to.equal(200);
    }
  });

  it("refuses to register an address on which others can listen", async () => {
    for (const uri of [
      "http://evil.example/callback",
      "http://192.168.1.1/callback",
      "http://localhost.evil.example/",
      "http://0.0.0.0/",
    ]) {
      expect((await postJson(url, "/oauth/register", { redirect_uris: [uri] })).body.error, uri).to.equal(
        "invalid_redirect_uri",
      );
    }
  });

  it("refuses to register an address with a fragment or credentials, or text that is no address", async () => {
    for (const uri of [
      "https://a.example/#x",
      "https://u:p@a.example/",
      "https:",
      "x",
      "",
      "https://a.example/ x",
      "https://a.example/\u202e",
      5,
      null,
    ]) {
      expect((await postJson(url, "/oauth/register", { redirect_uris: [uri] })).status, String(uri)).to.equal(400);
    }
    for (const redirect_uris of [[], undefined, REDIRECT_URI, Array(21).fill(REDIRECT_URI)]) {
      expect((await postJson(url, "/oauth/register", { redirect_uris })).body.error).to.equal("invalid_redirect_uri");
    }
  });

  it("makes no open redirect after an invalid request for an address that the attacker registered", async () => {
    const client_id = await registerApp(url, { redirect_uris: ["https://evil.example/"] });
    for (const wrong of [
      { response_type: "token" },
      { code_challenge: "x" },
      { resource: "https://evil.example/" },
      { prompt: "none" },
      { scope: "nonsense" },
    ]) {
      const { query } = await createAuthorizationRequest(url, {
        client_id,
        redirect_uri: "https://evil.example/",
        ...wrong,
      });
      const page = await getWithoutRedirect(url, `/oauth/authorize?${query}`);
      expect([page.headers.get("location"), String(page.body).includes("evil.example/")]).to.deep.equal([null, false]);
    }
  });

  it("makes no open redirect for an unknown client", async () => {
    for (const client_id of ["nobody", "trk_client_00", "http://evil.example/client.json"]) {
      expect(await refusedAt(client_id, "https://evil.example/")).to.deep.equal([400, null, 401, undefined]);
    }
  });

  it("names the issuer in every response, including errors (mix-up attack)", async () => {
    const { body: metadata } = await getWithoutRedirect(url, "/.well-known/oauth-authorization-server");
    const { query } = await createAuthorizationRequest(url, { state: "a&b=c #?" });
    for (const decision of [{}, { decision: "deny", organizationId: undefined, scopes: undefined }]) {
      const answer = new URL((await sendDecision(tenant, query, decision)).body.redirect).searchParams;
      expect([answer.get("iss"), answer.get("state")]).to.deep.equal([metadata.issuer, "a&b=c #?"]);
    }
    expect(metadata).to.include({ issuer: url, authorization_response_iss_parameter_supported: true });
  });

  it("returns no metadata with endpoints of the attacker after a forged Host header", async () => {
    const { hostname, port } = new URL(url);
    for (const path of ["oauth-authorization-server", "oauth-protected-resource/mcp"]) {
      const text = await new Promise<string>((resolve) => {
        const headers = {
          host: "localhost:1",
          "x-forwarded-host": "evil.example",
          "x-forwarded-proto": "https",
          forwarded: "host=evil.example",
        };
        httpRequest({ hostname, port, path: `/.well-known/${path}`, headers }, (response) => {
          response.setEncoding("utf8").once("data", resolve);
        }).end();
      });
      expect(text).to.contain(url).and.not.contain("evil.example").and.not.contain("localhost:1/");
    }
  });

  it("runs no script in texts that the page repeats", async () => {
    const page = await getWithoutRedirect(
      url,
      `/oauth/authorize?${"<script>alert(1)</script>"}=1&${encodeURIComponent("<img src=x>")}=1&${encodeURIComponent("<img src=x>")}=2`,
    );
    expect(page.body).to.contain("&#60;img src=x&#62; comes twice").and.not.contain("<img");
    expect(page.headers.get("content-security-policy"))
      .to.contain("default-src 'none'")
      .and.not.contain("unsafe-inline");
  });
});
