import { expect } from "chai";
import {
  type AuthorizationRequest,
  createAuthorizationRequest,
  createPkce,
  exchangeCode,
  getWithoutRedirect,
  obtainCode,
  postForm,
  postJson,
  REDIRECT_URI,
  readViewerStatus,
  registerApp,
  sendDecision,
} from "../support/accounts/oauth.ts";
import { earlierSql } from "../support/db/database.ts";
import { inviteGuest } from "../support/members.ts";
import { callRestApi, createOrganization, startSharedServer, type Tenant } from "../support/server.ts";

describe("OAuth codes: the server", () => {
  let tenant: Tenant;
  let url: string;
  before(async () => {
    tenant = await createOrganization();
    url = tenant.url;
  });

  const fresh = async (more: Record<string, string | undefined> = {}): Promise<[AuthorizationRequest, string]> => {
    const request = await createAuthorizationRequest(url, more);
    return [request, await obtainCode(tenant, request)];
  };
  /**
   * Returns the response to an attack, then the status of the correct exchange of the same code. The attack must not
   * use up the code.
   */
  const tried = async (attack: (request: AuthorizationRequest, code: string) => ReturnType<typeof exchangeCode>) => {
    const [request, code] = await fresh();
    const { status, body } = await attack(request, code);
    return [status, body.error, (await exchangeCode(url, request, code)).status];
  };
  /** Returns the response of the authorization endpoint to a changed request. The response must never be a redirect. */
  const refusedRequest = async (more: Record<string, string | undefined>) => {
    const { query } = await createAuthorizationRequest(url, more);
    const page = await getWithoutRedirect(url, `/oauth/authorize?${query}`);
    const decision = await sendDecision(tenant, query);
    return [page.status, page.headers.get("location"), decision.status, decision.body.redirect];
  };
  const REFUSED = [400, null, 400, undefined];

  it("refuses a replayed code, and revokes the tokens from its first use", async () => {
    const [request, code] = await fresh();
    const { access_token } = (await exchangeCode(url, request, code)).body;
    expect(await readViewerStatus(url, access_token)).to.equal(200);
    const { status, body } = await exchangeCode(url, request, code);
    expect([status, body.error, await readViewerStatus(url, access_token)]).to.deep.equal([400, "invalid_grant", 401]);
  });

  it("gives tokens at most once for a code presented twenty times at once", async () => {
    const [request, code] = await fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchangeCode(url, request, code)));
    expect(answers.filter(({ status }) => status === 200).length).to.equal(1);
    expect(answers.every(({ status }) => status === 200 || status === 400)).to.equal(true);
  });

  it("refuses a stolen code with a wrong verifier", async () => {
    const verifier = createPkce().verifier;
    expect(await tried((request, code) => exchangeCode(url, request, code, { code_verifier: verifier }))).to.deep.equal(
      [400, "invalid_grant", 200],
    );
  });

  it("refuses a stolen code without a verifier", async () => {
    expect(await tried((request, code) => exchangeCode(url, request, code, { code_verifier: "" }))).to.deep.equal([
      400,
      "invalid_request",
      200,
    ]);
  });

  it("refuses the challenge as verifier", async () => {
    const [request, code] = await fresh();
    const challenge = new URLSearchParams(request.query).get("code_challenge") ?? "";
    expect((await exchangeCode(url, request, code, { code_verifier: challenge })).body.error).to.equal("invalid_grant");
  });

  it("refuses PKCE with the method plain", async () => {
    expect(await refusedRequest({ code_challenge_method: "plain" })).to.deep.equal(REFUSED);
  });

  it("refuses PKCE without a method, which means plain", async () => {
    expect(await refusedRequest({ code_challenge_method: undefined })).to.deep.equal(REFUSED);
  });

  it("refuses a request without PKCE", async () => {
    expect(await refusedRequest({ code_challenge: undefined, code_challenge_method: undefined })).to.deep.equal(
      REFUSED,
    );
  });

  it("refuses a challenge that is no SHA-256", async () => {
    expect(await refusedRequest({ code_challenge: "short" })).to.deep.equal(REFUSED);
  });

  it("refuses a code of another app", async () => {
    const other = await registerApp(url);
    expect(await tried((request, code) => exchangeCode(url, request, code, { client_id: other }))).to.deep.equal([
      400,
      "invalid_grant",
      200,
    ]);
  });

  it("refuses a code without a client id", async () => {
    expect(await tried((request, code) => exchangeCode(url, request, code, { client_id: "" }))).to.deep.equal([
      400,
      "invalid_request",
      200,
    ]);
  });

  it("refuses a code with a different redirect_uri than in the request", async () => {
    const elsewhere = { redirect_uri: "http://127.0.0.1:10/callback" };
    expect(await tried((request, code) => exchangeCode(url, request, code, elsewhere))).to.deep.equal([
      400,
      "invalid_grant",
      200,
    ]);
  });

  it("refuses a code older than 60 seconds", async () => {
    const { db } = (await startSharedServer()).runtime;
    const [request, code] = await fresh();
    const age = `update "oauthCode" set "expiresAt" = ${earlierSql('"expiresAt"', "interval '60 seconds'")} where "clientId" = $1`;
    await db.query({ text: age, values: [request.clientId] });
    expect((await exchangeCode(url, request, code)).body.error).to.equal("invalid_grant");
  });

  it("refuses guessed codes", async () => {
    const [request] = await fresh();
    for (const code of [`trk_code_${"0".repeat(64)}`, "x", "' or 1=1 --", "\0"]) {
      expect((await exchangeCode(url, request, code)).body.error).to.equal("invalid_grant");
    }
  });

  it("refuses a code for another resource than the user allowed", async () => {
    const [request, code] = await fresh({ resource: `${url}/mcp` });
    const { status, body } = await exchangeCode(url, request, code, { resource: `${url}/graphql` });
    expect([status, body.error]).to.deep.equal([400, "invalid_target"]);
  });

  it("refuses a request for a resource of another server", async () => {
    for (const resource of [
      "https://evil.example/mcp",
      `${url}.evil.example/mcp`,
      `${url}/mcp/../x`,
      "http://127.0.0.1:1/mcp",
    ]) {
      expect(await refusedRequest({ resource })).to.deep.equal(REFUSED);
    }
  });

  it("refuses duplicate parameters, which two parsers could read differently", async () => {
    const [request, code] = await fresh();
    const other = await registerApp(url);
    const { query } = await createAuthorizationRequest(url, { client_id: other });
    for (const name of ["client_id", "redirect_uri", "resource", "code_challenge_method"]) {
      const twice = `${query}&${name}=x&${name}=y`;
      expect((await getWithoutRedirect(url, `/oauth/authorize?${twice}`)).status).to.equal(400);
    }
    const form = `grant_type=authorization_code&code=${code}&code=x&client_id=${request.clientId}&code_verifier=${request.verifier}`;
    expect((await postForm(url, "/oauth/token", form)).body.error).to.equal("invalid_request");
  });

  it("refuses secrets in the query of the token endpoint, where logs would store them", async () => {
    const [request, code] = await fresh();
    const form = {
      grant_type: "authorization_code",
      code,
      client_id: request.clientId,
      code_verifier: request.verifier,
      redirect_uri: REDIRECT_URI,
    };
    const query = new URLSearchParams(form);
    const statuses = [
      await getWithoutRedirect(url, `/oauth/token?${query}`),
      await postForm(url, `/oauth/token?${query}`, {}),
      await postJson(url, "/oauth/token", form),
    ];
    expect(statuses.map(({ status }) => status)).to.deep.equal([405, 400, 415]);
  });

  it("refuses a request object, whose content would be unchecked", async () => {
    expect(await refusedRequest({ request: "eyJhbGciOiJub25lIn0.e30." })).to.deep.equal(REFUSED);
    expect(await refusedRequest({ request_uri: "https://evil.example/r" })).to.deep.equal(REFUSED);
  });

  it("refuses a token directly from the page, without a code (implicit flow)", async () => {
    for (const response_type of ["token", "id_token", "code token"]) {
      expect(await refusedRequest({ response_type })).to.deep.equal(REFUSED);
    }
    expect(await refusedRequest({ response_mode: "fragment" })).to.deep.equal(REFUSED);
  });

  it("refuses other grant types, such as the user's password", async () => {
    const form = { username: tenant.email, password: tenant.password, client_id: await registerApp(url) };
    for (const grant_type of ["password", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]) {
      expect((await postForm(url, "/oauth/token", { grant_type, ...form })).body.error).to.equal(
        "unsupported_grant_type",
      );
    }
  });

  it("refuses a code of a member who was removed since", async () => {
    const guest = await inviteGuest(tenant);
    const request = await createAuthorizationRequest(url);
    const code = await obtainCode({ ...tenant, accessToken: guest.accessToken }, request);
    expect((await tenant.rest("DELETE", `/api/members/${guest.id}`)).status).to.equal(200);
    expect((await exchangeCode(url, request, code)).body.error).to.equal("invalid_grant");
    expect((await callRestApi(url, "GET", "/api/connections")).status).to.equal(401);
  });
});
