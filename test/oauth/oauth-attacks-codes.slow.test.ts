import { expect } from "chai";
import {
  allowedCode,
  authorizationRequest,
  decide,
  exchange,
  get,
  pkce,
  postForm,
  postJson,
  REDIRECT,
  type Request,
  registered,
  viewerStatus,
} from "../support/accounts/oauth.ts";
import { earlier } from "../support/db/database.ts";
import { joined } from "../support/members.ts";
import { call, freshOrganization, sharedServer, type Tenant } from "../support/server.ts";

describe("attacks on codes", () => {
  let tenant: Tenant;
  let url: string;
  before(async () => {
    tenant = await freshOrganization();
    url = tenant.url;
  });

  const fresh = async (more: Record<string, string | undefined> = {}): Promise<[Request, string]> => {
    const request = await authorizationRequest(url, more);
    return [request, await allowedCode(tenant, request)];
  };
  /** The answer to an attack, and then to the right use of the same code: the attack must not have spoiled it. */
  const tried = async (attack: (request: Request, code: string) => ReturnType<typeof exchange>) => {
    const [request, code] = await fresh();
    const { status, body } = await attack(request, code);
    return [status, body.error, (await exchange(url, request, code)).status];
  };
  /** The authorization endpoint's answer to a changed request: never a redirect. */
  const refusedRequest = async (more: Record<string, string | undefined>) => {
    const { query } = await authorizationRequest(url, more);
    const page = await get(url, `/oauth/authorize?${query}`);
    const decision = await decide(tenant, query);
    return [page.status, page.headers.get("location"), decision.status, decision.body.redirect];
  };
  const REFUSED = [400, null, 400, undefined];

  it("attack: a code that was used is replayed: it gives nothing, and what it led to ends", async () => {
    const [request, code] = await fresh();
    const { access_token } = (await exchange(url, request, code)).body;
    expect(await viewerStatus(url, access_token)).to.equal(200);
    const { status, body } = await exchange(url, request, code);
    expect([status, body.error, await viewerStatus(url, access_token)]).to.deep.equal([400, "invalid_grant", 401]);
  });

  it("attack: one code is presented twenty times at once: one gets tokens at most", async () => {
    const [request, code] = await fresh();
    const answers = await Promise.all(Array.from({ length: 20 }, () => exchange(url, request, code)));
    expect(answers.filter(({ status }) => status === 200).length).to.equal(1);
    expect(answers.every(({ status }) => status === 200 || status === 400)).to.equal(true);
  });

  it("attack: a stolen code with the wrong verifier", async () => {
    const verifier = pkce().verifier;
    expect(await tried((request, code) => exchange(url, request, code, { code_verifier: verifier }))).to.deep.equal([
      400,
      "invalid_grant",
      200,
    ]);
  });

  it("attack: a stolen code without a verifier", async () => {
    expect(await tried((request, code) => exchange(url, request, code, { code_verifier: "" }))).to.deep.equal([
      400,
      "invalid_request",
      200,
    ]);
  });

  it("attack: the challenge itself as the verifier", async () => {
    const [request, code] = await fresh();
    const challenge = new URLSearchParams(request.query).get("code_challenge") ?? "";
    expect((await exchange(url, request, code, { code_verifier: challenge })).body.error).to.equal("invalid_grant");
  });

  it("attack: PKCE of the method plain", async () => {
    expect(await refusedRequest({ code_challenge_method: "plain" })).to.deep.equal(REFUSED);
  });

  it("attack: PKCE whose method is left out, which means plain", async () => {
    expect(await refusedRequest({ code_challenge_method: undefined })).to.deep.equal(REFUSED);
  });

  it("attack: no PKCE at all", async () => {
    expect(await refusedRequest({ code_challenge: undefined, code_challenge_method: undefined })).to.deep.equal(
      REFUSED,
    );
  });

  it("attack: a challenge that is no SHA-256", async () => {
    expect(await refusedRequest({ code_challenge: "short" })).to.deep.equal(REFUSED);
  });

  it("attack: a code of one program is traded by another", async () => {
    const other = await registered(url);
    expect(await tried((request, code) => exchange(url, request, code, { client_id: other }))).to.deep.equal([
      400,
      "invalid_grant",
      200,
    ]);
  });

  it("attack: a code is traded without saying by whom", async () => {
    expect(await tried((request, code) => exchange(url, request, code, { client_id: "" }))).to.deep.equal([
      400,
      "invalid_request",
      200,
    ]);
  });

  it("attack: a code is traded with another redirect_uri than it was sent to", async () => {
    const elsewhere = { redirect_uri: "http://127.0.0.1:10/callback" };
    expect(await tried((request, code) => exchange(url, request, code, elsewhere))).to.deep.equal([
      400,
      "invalid_grant",
      200,
    ]);
  });

  it("attack: a code that is older than 60 seconds", async () => {
    const { db } = (await sharedServer()).runtime;
    const [request, code] = await fresh();
    const age = `update "oauthCode" set "expiresAt" = ${earlier('"expiresAt"', "interval '60 seconds'")} where "clientId" = $1`;
    await db.query({ text: age, values: [request.clientId] });
    expect((await exchange(url, request, code)).body.error).to.equal("invalid_grant");
  });

  it("attack: codes are guessed", async () => {
    const [request] = await fresh();
    for (const code of [`trk_code_${"0".repeat(64)}`, "x", "' or 1=1 --", "\0"]) {
      expect((await exchange(url, request, code)).body.error).to.equal("invalid_grant");
    }
  });

  it("attack: a code is traded for another resource than the person saw", async () => {
    const [request, code] = await fresh({ resource: `${url}/mcp` });
    const { status, body } = await exchange(url, request, code, { resource: `${url}/graphql` });
    expect([status, body.error]).to.deep.equal([400, "invalid_target"]);
  });

  it("attack: a code is asked for with a resource that is not of this server", async () => {
    for (const resource of [
      "https://evil.example/mcp",
      `${url}.evil.example/mcp`,
      `${url}/mcp/../x`,
      "http://127.0.0.1:1/mcp",
    ]) {
      expect(await refusedRequest({ resource })).to.deep.equal(REFUSED);
    }
  });

  it("attack: parameters come twice, so that two readers take one each", async () => {
    const [request, code] = await fresh();
    const other = await registered(url);
    const { query } = await authorizationRequest(url, { client_id: other });
    for (const name of ["client_id", "redirect_uri", "resource", "code_challenge_method"]) {
      const twice = `${query}&${name}=x&${name}=y`;
      expect((await get(url, `/oauth/authorize?${twice}`)).status).to.equal(400);
    }
    const form = `grant_type=authorization_code&code=${code}&code=x&client_id=${request.clientId}&code_verifier=${request.verifier}`;
    expect((await postForm(url, "/oauth/token", form)).body.error).to.equal("invalid_request");
  });

  it("attack: secrets in the query of the token endpoint, where logs would keep them", async () => {
    const [request, code] = await fresh();
    const form = {
      grant_type: "authorization_code",
      code,
      client_id: request.clientId,
      code_verifier: request.verifier,
      redirect_uri: REDIRECT,
    };
    const query = new URLSearchParams(form);
    const statuses = [
      await get(url, `/oauth/token?${query}`),
      await postForm(url, `/oauth/token?${query}`, {}),
      await postJson(url, "/oauth/token", form),
    ];
    expect(statuses.map(({ status }) => status)).to.deep.equal([405, 400, 415]);
  });

  it("attack: a request object, whose contents nobody would have checked", async () => {
    expect(await refusedRequest({ request: "eyJhbGciOiJub25lIn0.e30." })).to.deep.equal(REFUSED);
    expect(await refusedRequest({ request_uri: "https://evil.example/r" })).to.deep.equal(REFUSED);
  });

  it("attack: a token straight from the page, without a code", async () => {
    for (const response_type of ["token", "id_token", "code token"]) {
      expect(await refusedRequest({ response_type })).to.deep.equal(REFUSED);
    }
    expect(await refusedRequest({ response_mode: "fragment" })).to.deep.equal(REFUSED);
  });

  it("attack: other ways to a token, such as the person's password", async () => {
    const form = { username: tenant.email, password: tenant.password, client_id: await registered(url) };
    for (const grant_type of ["password", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code"]) {
      expect((await postForm(url, "/oauth/token", { grant_type, ...form })).body.error).to.equal(
        "unsupported_grant_type",
      );
    }
  });

  it("attack: a code that a member got before they were removed", async () => {
    const guest = await joined(tenant);
    const request = await authorizationRequest(url);
    const code = await allowedCode({ ...tenant, accessToken: guest.accessToken }, request);
    expect((await tenant.rest("DELETE", `/api/members/${guest.id}`)).status).to.equal(200);
    expect((await exchange(url, request, code)).body.error).to.equal("invalid_grant");
    expect((await call(url, "GET", "/api/connections")).status).to.equal(401);
  });
});
