import { request as httpRequest } from "node:http";
import { expect } from "chai";
import fc from "fast-check";
import { mayRedirect, redirectUriFault } from "../../server/oauth/clients/redirect-uri.ts";
import { authorizationRequest, decide, get, postJson, REDIRECT, registered } from "../support/accounts/oauth.ts";
import { freshOrganization, type Tenant } from "../support/server.ts";

const HOME = "https://app.example.com/callback?from=trackway";

/** Addresses that an inexact reader takes for the one above. */
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

/** The same for an address of this computer, whose port alone may vary. */
const LOCAL_LOOK_ALIKES = `http://127.0.0.1:9/other http://localhost:9/callback http://127.0.0.1.evil.example/callback
  http://127.0.0.1:9@evil.example/callback http://127.0.0.1:80:90/callback https://127.0.0.1:9/callback
  http://127.0.0.1:9/callback/ http://127.0.0.1:9/callback?x http://127.1:9/callback http://2130706433:9/callback
  http://[::1]:9/callback http://127.0.0.1:evil/callback http://127.0.0.1:999999/callback http://127.0.0.2:9/callback
  http://127.0.0.1:/callback#x http://127.0.0.1:9\\@evil.example/callback`.split(/\s+/);

/** Programs whose schemes have no dot. */
const PROGRAMS = ["cursor", "vscode", "vscode-insiders", "windsurf", "claude", "zed", "warp", "raycast"];

describe("attacks on redirects", () => {
  let tenant: Tenant;
  let url: string;
  before(async () => {
    tenant = await freshOrganization();
    url = tenant.url;
  });

  /** Status and target at both endpoints for a redirect_uri of a client that registered others. */
  const refusedAt = async (client_id: string, redirect_uri: string) => {
    const { query } = await authorizationRequest(url, { client_id, redirect_uri });
    const page = await get(url, `/oauth/authorize?${query}`);
    const { status, body } = await decide(tenant, query);
    return [page.status, page.headers.get("location"), status, body.redirect];
  };

  it("attack: a foreign redirect_uri", async () => {
    const client = await registered(url);
    expect(await refusedAt(client, "https://evil.example/callback")).to.deep.equal([400, null, 400, undefined]);
  });

  it(`attack: a look-alike redirect_uri, of ${LOOK_ALIKES.length} kinds`, async () => {
    const client = await registered(url, { redirect_uris: [HOME] });
    for (const uri of LOOK_ALIKES) expect(await refusedAt(client, uri), uri).to.deep.equal([400, null, 400, undefined]);
    expect((await refusedAt(client, HOME))[0]).to.equal(200);
  });

  it(`attack: a look-alike of this computer's own address, of ${LOCAL_LOOK_ALIKES.length} kinds`, async () => {
    const client = await registered(url);
    for (const uri of LOCAL_LOOK_ALIKES)
      expect(await refusedAt(client, uri), uri).to.deep.equal([400, null, 400, undefined]);
  });

  it("lets the port of this computer vary, and nothing else, under each of its names", async () => {
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const named = [`http://${host}:3118/callback`];
      for (const port of ["", ":1", ":65535"])
        expect(mayRedirect(named, `http://${host}${port}/callback`)).to.equal(true);
      expect(mayRedirect(named, `http://${host}:3118/callback2`)).to.equal(false);
    }
    const client = await registered(url);
    expect((await refusedAt(client, "http://127.0.0.1:54321/callback"))[0]).to.equal(200);
  });

  it("attack: registering an address that a browser or the system would run or open itself, whatever its scheme", async () => {
    const known = `javascript data vbscript file blob about view-source filesystem ws wss ftp mailto tel ms-msdt search-ms ms-officecmd
      ms-appinstaller smb shell feed chrome-extension chrome moz-extension resource jar intent itms-apps steam ssh telnet ldap`;
    for (const scheme of known.split(/\s+/))
      for (const rest of ["alert(1)", "javascript:alert(1)", "//x/y", "/x"])
        expect(redirectUriFault(`${scheme}:${rest}`), `${scheme}:${rest}`).to.be.a("string");
    const schemes = fc.stringMatching(/^[a-z][a-z0-9+-]{0,12}$/).filter((scheme) => !/^https?$/.test(scheme));
    fc.assert(
      fc.property(schemes, (scheme) => {
        const expected = PROGRAMS.includes(scheme) ? "undefined" : "string";
        expect(typeof redirectUriFault(`${scheme}://callback`)).to.equal(expected);
        expect(typeof redirectUriFault(`${scheme.toUpperCase()}://callback`)).to.equal(expected);
      }),
      { examples: PROGRAMS.map((scheme) => [scheme]) },
    );
    for (const uri of ["ms-msdt:/id", "feed:javascript:alert(1)"]) {
      const { body } = await postJson(url, "/oauth/register", { redirect_uris: [uri] });
      expect([body.error, body.error_description]).to.deep.equal([
        "invalid_redirect_uri",
        `A redirect URI ${redirectUriFault(uri)}.`,
      ]);
    }
  });

  it("takes the addresses of programs that are known to come by a scheme, and any scheme of a domain", async () => {
    for (const uri of [
      "cursor://anysphere.cursor-mcp/oauth/callback",
      "vscode://publisher.extension/callback",
      "com.example.program:/callback",
      "io.github.a-program://callback",
    ]) {
      const client_id = await registered(url, { redirect_uris: [uri] });
      expect((await refusedAt(client_id, uri))[0], uri).to.equal(200);
    }
  });

  it("attack: registering an address that others can listen to", async () => {
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

  it("attack: registering an address with a fragment, a name, or what is no address", async () => {
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
    for (const redirect_uris of [[], undefined, REDIRECT, Array(21).fill(REDIRECT)]) {
      expect((await postJson(url, "/oauth/register", { redirect_uris })).body.error).to.equal("invalid_redirect_uri");
    }
  });

  it("attack: an open redirect, by a wrong request for an address that the attacker registered", async () => {
    const client_id = await registered(url, { redirect_uris: ["https://evil.example/"] });
    for (const wrong of [
      { response_type: "token" },
      { code_challenge: "x" },
      { resource: "https://evil.example/" },
      { prompt: "none" },
      { scope: "nonsense" },
    ]) {
      const { query } = await authorizationRequest(url, { client_id, redirect_uri: "https://evil.example/", ...wrong });
      const page = await get(url, `/oauth/authorize?${query}`);
      expect([page.headers.get("location"), String(page.body).includes("evil.example/")]).to.deep.equal([null, false]);
    }
  });

  it("attack: an open redirect, by a client that there is not", async () => {
    for (const client_id of ["nobody", "trk_client_00", "http://evil.example/client.json"]) {
      expect(await refusedAt(client_id, "https://evil.example/")).to.deep.equal([400, null, 401, undefined]);
    }
  });

  it("attack: a mixed-up issuer: every answer names this one, a refusal too", async () => {
    const { body: metadata } = await get(url, "/.well-known/oauth-authorization-server");
    const { query } = await authorizationRequest(url, { state: "a&b=c #?" });
    for (const decision of [{}, { decision: "deny", organizationId: undefined, scopes: undefined }]) {
      const answer = new URL((await decide(tenant, query, decision)).body.redirect).searchParams;
      expect([answer.get("iss"), answer.get("state")]).to.deep.equal([metadata.issuer, "a&b=c #?"]);
    }
    expect(metadata).to.include({ issuer: url, authorization_response_iss_parameter_supported: true });
  });

  it("attack: a Host of the attacker's, so that the metadata name their endpoints", async () => {
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

  it("attack: script in what the page repeats", async () => {
    const page = await get(
      url,
      `/oauth/authorize?${"<script>alert(1)</script>"}=1&${encodeURIComponent("<img src=x>")}=1&${encodeURIComponent("<img src=x>")}=2`,
    );
    expect(page.body).to.contain("&#60;img src=x&#62; comes twice").and.not.contain("<img");
    expect(page.headers.get("content-security-policy"))
      .to.contain("default-src 'none'")
      .and.not.contain("unsafe-inline");
  });
});
