import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { expect } from "chai";
import { printSchema } from "graphql";
import * as documents from "../../scripts/web-documents.js";
import * as endpoints from "../../scripts/web-endpoints.js";
import { routes } from "../../server/control/routes.ts";
import { getIntrospectionSchema } from "../../server/graphql/schema.ts";
import { consentEndpoints } from "../../server/oauth/consent.ts";
import { startSharedServer } from "../support/server.ts";

const ASSETS = "dist/web/assets";

const html = { Accept: "text/html" };

describe("the web app as it is served", () => {
  let url = "";
  before(async () => {
    ({ url } = await startSharedServer());
  });

  for (const path of [
    "/",
    "/connect",
    "/sessions",
    "/sessions/0198c0de-0000-7000-8000-000000000001/events/0198c0de-0000-7000-8000-000000000002",
    "/tools/Bash",
    "/issues",
    "/issues/ENG-1",
    "/projects",
    "/cycles/0198c0de-0000-7000-8000-000000000001",
    "/settings/webhooks",
    "/acme/issue/ENG-1/the-build-fails",
    "/acme/project/alpha-1234",
    "/acme/team/ENG",
    "/acme/profiles/ada",
    "/acme/settings/webhooks/1",
  ]) {
    it(`serves its page at ${path}, with a policy that allows no other scripts`, async () => {
      const response = await fetch(url + path, { headers: html });
      expect([response.status, response.headers.get("Content-Type")]).to.deep.equal([200, "text/html; charset=utf-8"]);
      const policy = response.headers.get("Content-Security-Policy") ?? "";
      expect(policy).to.match(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(policy).not.to.contain("unsafe");
      expect(await response.text()).to.contain('<script type="module" src="/assets/main-');
    });
  }

  for (const path of [
    "/nothing",
    "/acme/nothing",
    "/sessionsx",
    "/assets/nothing.js",
    "/assets/..%2findex.html",
    "/api/nothing",
  ]) {
    it(`does not serve ${path}`, async () => {
      expect((await fetch(url + path, { headers: html })).status).to.equal(404);
    });
  }

  it("serves its files as immutable, and with brotli if accepted", async () => {
    for (const name of readdirSync(ASSETS).filter((each) => !each.endsWith(".br"))) {
      const plain = await fetch(`${url}/assets/${name}`, { headers: { "Accept-Encoding": "identity" } });
      const packed = await fetch(`${url}/assets/${name}`, { headers: { "Accept-Encoding": "br" } });
      expect(plain.headers.get("Cache-Control")).to.equal("public, max-age=31536000, immutable");
      expect([plain.headers.get("Content-Encoding"), packed.headers.get("Content-Encoding")]).to.deep.equal([
        null,
        "br",
      ]);
      expect(await packed.text()).to.equal(await plain.text());
      expect(
        brotliDecompressSync(readFileSync(join(ASSETS, `${name}.br`))).equals(readFileSync(join(ASSETS, name))),
      ).to.equal(true);
    }
  });

  it("names no other host in any file, except in namespaces and texts of libraries", () => {
    const hosts = readdirSync(ASSETS)
      .filter((name) => !name.endsWith(".br"))
      .flatMap((name) =>
        [
          ...readFileSync(join(ASSETS, name), "utf8").matchAll(
            /(?:src|href|fetch\(|import\()\s*[=:(]?\s*["']https?:\/\/([^/"']+)/g,
          ),
        ].map(([, host]) => host),
      );
    expect(hosts).to.deep.equal([]);
  });

  it("has GraphQL types that match the schema; run npm run web:types to write them again", async () => {
    const made = await documents.generate(printSchema(getIntrospectionSchema("native")));
    expect(readFileSync(documents.TARGET, "utf8")).to.equal(made);
  });

  it("has types of REST endpoints that match their declarations", async () => {
    const made = await endpoints.generate([...routes, ...consentEndpoints]);
    expect(readFileSync(endpoints.TARGET, "utf8")).to.equal(made);
  });

  it("calls REST only through these types, except for the event that it sends as an agent does", () => {
    const fetching = readdirSync("web", { recursive: true, encoding: "utf8" }).filter(
      (path) => /\.tsx?$/.test(path) && /\bfetch\(/.test(readFileSync(join("web", path), "utf8")),
    );
    // The documentation search fetches its index file.
    const expected = ["data/api.ts", "data/graphql.ts", "docs/search.ts", "pages/connect/arrival.tsx"];
    expect(fetching.sort()).to.deep.equal(expected);
  });
});
