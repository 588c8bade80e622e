import { expect } from "chai";
import { HOSTILE_BODIES, requestStatus, type WireRequest } from "../../support/hostile/hostile.ts";
import {
  buildHeaderCases,
  buildOperationCases,
  buildPathCases,
  buildSocketCases,
  type OpenApi,
} from "../../support/hostile/hostile-cases.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";

/**
 * Another seed selects other cases. FUZZ_SEED=7 FUZZ_CASES=100000 npx mocha
 * test/graphql/documents/hostile.slow.test.ts runs all of them.
 */
const SEED = Number(process.env["FUZZ_SEED"] ?? 1);
const CASES = Number(process.env["FUZZ_CASES"] ?? 2_200);
const AT_ONCE = 8;
const INGEST = ["capture-session", "capture-event", "capture-events"].map((name) => `/api/v1/${name}`);
const PAGES = ["/api/docs", "/api/docs/docs.js", "/api/openapi.json", "/settings", "/graphql"];

describe("generated hostile requests", () => {
  let tenant: Tenant;
  let document: OpenApi;
  let cases: WireRequest[];
  before(async () => {
    tenant = await createOrganization();
    document = (await (await fetch(`${tenant.url}/api/openapi.json`)).json()) as OpenApi;
    const post = (path: string) => ({ method: "POST", path, headers: { "Content-Type": "application/json" } });
    const places = [
      ...[...INGEST, "/graphql", "/api/auth/login"].map((path) => ({
        ...post(path),
        body: '{"events":[],"query":"{viewer{id}}"}',
      })),
      ...["/api/health", "/api/api-keys", "/socket.io/?EIO=4&transport=polling", "/api/docs"].map((path) => {
        return { method: "GET", path, headers: {} };
      }),
    ];
    cases = shuffled([
      ...buildOperationCases(document),
      ...buildHeaderCases(places),
      ...buildPathCases([
        ...Object.keys(document.paths).filter((path) => !path.includes("{")),
        ...INGEST,
        ...PAGES,
        "",
      ]),
      ...buildSocketCases(),
      ...[...INGEST, "/graphql"].flatMap((path) => HOSTILE_BODIES.map((body) => ({ ...post(path), body }))),
    ]).slice(0, CASES);
  });

  it("get a response below 500 at every operation and path", async () => {
    expect(cases.length).to.be.at.least(2_000);
    const faults: string[] = [];
    const seen = new Set<number>();
    const lane = async (first: number) => {
      for (let at = first; at < cases.length; at += AT_ONCE) {
        const request = admitted(cases[at] as WireRequest);
        const status = await requestStatus(tenant.url, request);
        seen.add(status);
        const huge = JSON.stringify(request).length > 16_000;
        if (status >= 500 || (status === 0 && !huge)) faults.push(told(at, status, request));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, (_, first) => lane(first)));
    expect(faults).to.deep.equal([]);
    // A test whose requests never pass the credential check would prove nothing.
    expect([...seen]).to.include.members([200, 202, 400, 401, 404, 405, 413, 415, 431]);
    expect((await fetch(`${tenant.url}/api/health`)).status).to.equal(200);
  });

  const admitted = (request: WireRequest): WireRequest => {
    const graphql = request.path.startsWith("/graphql");
    const keys = {
      Authorization: graphql ? tenant.apiKey : `Bearer ${tenant.accessToken}`,
      "x-api-key": tenant.ingestKey,
    };
    return { ...request, headers: { ...keys, ...request.headers } };
  };
});

const told = (at: number, status: number, { method, path, headers, body = "" }: WireRequest) => {
  const { Authorization: _, "x-api-key": __, ...others } = headers;
  return `FUZZ_SEED=${SEED} case ${at}: ${status} for ${JSON.stringify({ method, path, ...others, body }).slice(0, 400)}`;
};

/** Shuffles a list in the same order for the same seed. */
function shuffled<T>(list: T[]): T[] {
  let state = SEED;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return list
    .map((value) => ({ value, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ value }) => value);
}
