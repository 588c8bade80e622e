import { type IncomingHttpHeaders, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect } from "chai";
import { noteSecrets } from "../../support/run/secrets.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";

describe("response headers", () => {
  let tenant: Tenant;

  before(async () => {
    tenant = await createOrganization();
  });

  /** Returns the names and fixed values of the response headers of a POST, without headers only for web pages. */
  const headOf = async (query: string, headers: Record<string, string>, path = "/graphql") => {
    const all = { "Content-Type": "application/json", Authorization: tenant.apiKey, ...headers };
    const answer = await fetch(tenant.url + path, { method: "POST", headers: all, body: JSON.stringify({ query }) });
    await answer.text();
    const shown = [...answer.headers].filter(([name]) => !name.startsWith("access-control-"));
    return shown.map(([name, value]) => (/^(x-r|date)/.test(name) ? name : `${name}: ${value}`)).sort();
  };

  it("are the same for an app, a page and a client that names a schema, for every kind of response", async () => {
    const cases: [string, Record<string, string>][] = [
      ["{ viewer { id } }", {}],
      ["{ nonsense }", {}],
      ["{ viewer { id } }", { Authorization: "trk_api_wrong" }],
      ["{ viewer { id } }", { "Content-Type": "text/plain" }],
    ];
    for (const [query, headers] of cases) {
      const program = await headOf(query, headers);
      expect(program).to.include.members([
        "vary: Origin, Accept-Encoding",
        "x-content-type-options: nosniff",
        "x-request-id",
      ]);
      expect(await headOf(query, headers, "/graphql?schema=native")).to.deep.equal(program);
      expect(await headOf(query, { ...headers, Origin: tenant.url })).to.deep.equal(program);
    }
  });

  it("contain the points of this request, regardless of earlier requests with the same document", async () => {
    const points = async (query: string, variables: Record<string, unknown>) =>
      Number((await tenant.graphql(query, variables)).headers.get("X-Complexity"));
    const pages = "query ($n: Int) { issues(first: $n) { nodes { id title } } }";
    for (const n of [1, 1, 1, 250, 10, 1])
      expect(await points(pages, { n }), `first: ${n}`).to.equal(Math.ceil(n * 1.2));
    const filtered = "query ($f: IssueFilter) { issues(first: 1, filter: $f) { nodes { id } } }";
    const words = (count: number) => ({ description: { in: Array.from({ length: count }, () => "x") } });
    for (const count of [1, 1, 1, 3, 1]) {
      expect(await points(filtered, { f: words(count) }), `${count} comparisons`).to.equal(100 * count + 2);
    }
    const given = "query ($ids: [ID!]!) { nodes(ids: $ids) { id } }";
    const idsOf = (count: number) => ({ ids: Array.from({ length: count }, () => tenant.organizationId) });
    const one = await points(given, idsOf(1));
    expect(await points(given, idsOf(9)), "9 ids").to.be.above(one);
    expect(await points(given, idsOf(1)), "1 id").to.equal(one);
  });

  /** Returns the raw bytes of a response. */
  const rawAnswer = (query: string, accepted: string | undefined, method = "POST", path = "/graphql") =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; bytes: Buffer }>((resolve, reject) => {
      const url = new URL(path, tenant.url);
      if (method !== "POST") url.searchParams.set("query", query);
      const headers = {
        ...{ "Content-Type": "application/json", Authorization: tenant.apiKey },
        ...(accepted !== undefined && { "Accept-Encoding": accepted }),
      };
      request(url, { method, headers }, async (response) => {
        const { statusCode: status, headers: answered } = response;
        resolve({ status, headers: answered, bytes: await buffer(response) });
      })
        .once("error", reject)
        .end(method === "POST" ? JSON.stringify({ query }) : undefined);
    });
  const LONG = "{ __schema { types { name description fields { name description } } } }";
  /** Values of Accept-Encoding, and the encoding of the response. */
  const ACCEPTED: [accepted: string | undefined, encoding: string | undefined][] = [
    [undefined, undefined],
    ["identity", undefined],
    ["zstd", undefined],
    ["br;q=0, gzip;q=0", undefined],
    ["gzip", "gzip"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0", "gzip"],
    ["*", "br"],
    ["GZIP", "gzip"],
  ];

  it("name the accepted compression of a long response, and the bytes are the same", async () => {
    const plain = await rawAnswer(LONG, undefined);
    expect(plain.bytes.length).to.be.greaterThan(50_000);
    for (const path of ["/graphql", "/graphql?schema=native"])
      for (const [accepted, encoding] of ACCEPTED) {
        const { headers, bytes, status } = await rawAnswer(LONG, accepted, "POST", path);
        expect([accepted, status, headers["content-encoding"]]).to.deep.equal([accepted, 200, encoding]);
        expect([headers["content-length"], headers.vary]).to.deep.equal([
          String(bytes.length),
          "Origin, Accept-Encoding",
        ]);
        const read = encoding === "br" ? brotliDecompressSync(bytes) : encoding ? gunzipSync(bytes) : bytes;
        expect(read.equals(plain.bytes)).to.equal(true);
        if (encoding) expect(bytes.length).to.be.lessThan(plain.bytes.length / 3);
      }
  });

  it("show no compression of a short response, of any kind", async () => {
    for (const query of ["{ viewer { id } }", "{ nonsense }"]) {
      const { headers } = await rawAnswer(query, "gzip, br");
      expect([headers["content-encoding"], headers.vary]).to.deep.equal([undefined, "Origin, Accept-Encoding"]);
    }
  });

  it("are the same for HEAD and GET, compressed or not", async () => {
    for (const accepted of ["identity", "br", "gzip"]) {
      const [got, head] = [await rawAnswer(LONG, accepted, "GET"), await rawAnswer(LONG, accepted, "HEAD")];
      const shown = ({ headers }: typeof got) => [
        headers["content-length"],
        headers["content-encoding"],
        headers.vary,
        headers.etag,
      ];
      expect([head.bytes.length, ...shown(head)]).to.deep.equal([0, ...shown(got)]);
    }
  });

  it("are correct for many concurrent long responses, compressed or not", async () => {
    const plain = (await rawAnswer(LONG, undefined)).bytes;
    const answers = await Promise.all(Array.from({ length: 20 }, () => rawAnswer(LONG, "br")));
    for (const { headers, bytes } of answers)
      expect((headers["content-encoding"] ? brotliDecompressSync(bytes) : bytes).equals(plain)).to.equal(true);
  });

  it("show no compression of a response that contains a key", async () => {
    const headers = { authorization: `Bearer ${tenant.accessToken}`, "content-type": "application/json" };
    for (const path of ["/api/api-keys", "/api/ingest-keys"]) {
      const body = JSON.stringify({ [path === "/api/api-keys" ? "label" : "name"]: "x".repeat(200) });
      const answer = await fetch(tenant.url + path, { method: "POST", headers, body });
      expect([answer.status, answer.headers.get("content-encoding")]).to.deep.equal([201, null]);
      noteSecrets(await answer.json());
    }
  });
});
