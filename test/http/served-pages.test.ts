import { readFileSync } from "node:fs";
import { expect } from "chai";
import { authorizationRequest } from "../support/accounts/oauth.ts";
import { sharedServer } from "../support/server.ts";

const TYPES: Record<string, RegExp> = {
  css: /^text\/css/,
  js: /^text\/javascript/,
  svg: /^image\/svg\+xml/,
  json: /^application\/json/,
};

/** The addresses of the web app's pages, from its own routes, with a value for each part that varies. */
const ROUTES = [...readFileSync("web/routes.ts", "utf8").matchAll(/^ {2}\["(\/[^"]*)"/gm)].map(([, pattern]) =>
  String(pattern)
    .replace(":urlKey/:kind/*", "acme/issue/ENG-1/a-title")
    .replace(/:\w+/g, "0198c0de-0000-7000-8000-000000000001"),
);
/** Destinations that a browser names when it asks for a part of a page. */
const PARTS = ["style", "script", "image", "font", "worker", "manifest", "object", "track"];

describe("the pages that the server serves", () => {
  let url = "";
  let pages: string[] = [];
  before(async () => {
    ({ url } = await sharedServer());
    const { query } = await authorizationRequest(url);
    pages = [...ROUTES, "/api/docs", "/graphql", `/oauth/authorize?${query}`, "/oauth/authorize?client_id=nobody"];
  });
  const get = (path: string, headers: Record<string, string> = { accept: "text/html" }) =>
    fetch(new URL(path, url), { headers });

  /** The full addresses that a page, a script or a stylesheet asks for. */
  function linksOf(text: string, type: string, from: string): string[] {
    const patterns = type.includes("html")
      ? [/(?:href|src)="([^"#]+)"/g]
      : type.includes("css")
        ? [/url\(["']?([^"')]+)["']?\)/g, /@import\s*["']([^"']+)["']/g]
        : [/(?:from|import\()\s*["'](\.\.?\/[^"']+)["']/g];
    return patterns
      .flatMap((pattern) => [...text.matchAll(pattern)].map(([, link]) => String(link)))
      .filter((link) => !link.startsWith("data:"))
      .map((link) => new URL(link, from).href);
  }

  it("name nothing that is not there, or is of another type than its name says: pages, styles, scripts and what those load", async () => {
    const seen = new Set<string>();
    const wrong: string[] = [];
    const follow = async (address: string, source: string): Promise<void> => {
      if (seen.has(address)) return;
      seen.add(address);
      const response = await get(address);
      const type = response.headers.get("content-type") ?? "";
      const { origin, pathname } = new URL(address);
      const expected = TYPES[/\.(\w+)$/.exec(pathname)?.[1] ?? ""] ?? /^text\/html/;
      const isPage = pages.includes(source) || source === "";
      if (origin !== url || (response.status !== 200 && !(source === "" && response.status === 400)))
        wrong.push(`${source} names ${address}: ${response.status}`);
      else if (!expected.test(type)) wrong.push(`${source} names ${address}: ${type}`);
      // A library's own text may look like a link: only our files are read on.
      if (!isPage && !pathname.startsWith("/assets/")) return;
      for (const link of linksOf(await response.text(), type, address)) await follow(link, pathname);
    };
    for (const page of pages) await follow(new URL(page, url).href, "");
    expect(wrong).to.deep.equal([]);
    expect([...seen].filter((address) => /\.css$/.test(address))).to.have.length.greaterThan(2);
  });

  it("are no answer to an address that ends as a file's does", async () => {
    const wrong: string[] = [];
    for (const page of ["", ...ROUTES, "/oauth", "/oauth/authorize", "/api/docs", "/graphql", "/acme/settings"]) {
      for (const name of [
        "x.css",
        "main.js",
        "a-b.min.js",
        "logo.svg",
        "font.woff2",
        "app.js.map",
        "site.webmanifest",
      ]) {
        const path = `${page.replace(/\/$/, "")}/${name}`;
        if (/^\/(tools|users)\/[^/]+$/.test(path)) continue;
        const { status, headers } = await get(path);
        if (status !== 404 || headers.get("content-type")?.includes("html")) wrong.push(`${path} ${status}`);
      }
    }
    expect(wrong).to.deep.equal([]);
  });

  it("are no answer to a browser that asks for a part of a page", async () => {
    for (const path of [...ROUTES, "/tools/main.css", "/settings/settings.css"]) {
      for (const part of PARTS) {
        const { status } = await get(path, { accept: "*/*", "sec-fetch-dest": part });
        expect([path, part, status]).to.deep.equal([path, part, 404]);
      }
    }
  });

  it("stand at the address of a tool or a person whose name has a dot", async () => {
    for (const path of ["/tools/main.css", "/tools/fs.read", "/users/ada@example.com"]) {
      const { status, headers } = await get(path, { accept: "text/html", "sec-fetch-dest": "document" });
      expect([path, status, headers.get("content-type")]).to.deep.equal([path, 200, "text/html; charset=utf-8"]);
    }
  });
});
