import { readFileSync } from "node:fs";
import { expect } from "chai";
import { createAuthorizationRequest } from "../support/accounts/oauth.ts";
import { startSharedServer } from "../support/server.ts";

const TYPES: Record<string, RegExp> = {
  css: /^text\/css/,
  js: /^text\/javascript/,
  svg: /^image\/svg\+xml/,
  json: /^application\/json/,
};

/** Addresses of the web app's pages, from the routes, with a value for each parameter. */
const ROUTES = [...readFileSync("web/routes.ts", "utf8").matchAll(/^ {2}\["(\/[^"]*)"/gm)].map(([, pattern]) =>
  String(pattern)
    .replace(":urlKey/:kind/*", "acme/issue/ENG-1/a-title")
    .replace(/:\w+/g, "0198c0de-0000-7000-8000-000000000001"),
);
/** Values of Sec-Fetch-Dest with which a browser requests a part of a page. */
const PARTS = ["style", "script", "image", "font", "worker", "manifest", "object", "track"];

describe("the served web app", () => {
  let url = "";
  let pages: string[] = [];
  before(async () => {
    ({ url } = await startSharedServer());
    const { query } = await createAuthorizationRequest(url);
    pages = [...ROUTES, "/api/docs", "/graphql", `/oauth/authorize?${query}`, "/oauth/authorize?client_id=nobody"];
  });
  const get = (path: string, headers: Record<string, string> = { accept: "text/html" }) =>
    fetch(new URL(path, url), { headers });

  /** Returns the absolute addresses that a page, a script or a stylesheet requests. */
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

  it("requests only existing files with the type of their ending, from pages, styles, scripts and their imports", async () => {
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
      // The text of a library may look like a link, so only files of the web app are read further.
      if (!isPage && !pathname.startsWith("/assets/")) return;
      for (const link of linksOf(await response.text(), type, address)) await follow(link, pathname);
    };
    for (const page of pages) await follow(new URL(page, url).href, "");
    expect(wrong).to.deep.equal([]);
    expect([...seen].filter((address) => /\.css$/.test(address))).to.have.length.greaterThan(2);
  });

  it("serves no page at an address that ends like a file name", async () => {
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

  it("serves no page to a browser that requests a part of a page, such as a script", async () => {
    for (const path of [...ROUTES, "/tools/main.css", "/settings/settings.css"]) {
      for (const part of PARTS) {
        const { status } = await get(path, { accept: "*/*", "sec-fetch-dest": part });
        expect([path, part, status]).to.deep.equal([path, part, 404]);
      }
    }
  });

  it("serves the page of a tool or user whose name contains a dot", async () => {
    for (const path of ["/tools/main.css", "/tools/fs.read", "/users/ada@example.com"]) {
      const { status, headers } = await get(path, { accept: "text/html", "sec-fetch-dest": "document" });
      expect([path, status, headers.get("content-type")]).to.deep.equal([path, 200, "text/html; charset=utf-8"]);
    }
  });
});
