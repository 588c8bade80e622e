// @ts-check
// Builds the documentation that every server serves at /docs: each page of docs/ as HTML and Markdown, the reference
// generated from the code, a search index, and the stylesheet. Files are stored only as brotli, so that all of the
// documentation stays below 1 MB.
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { build, stop } from "esbuild";
import { buildReferencePages } from "./reference.js";
import { buildSections, renderPage } from "./render.js";

/** Pages from outside docs/, by their name below /docs. */
const OTHERS = { examples: "examples/README.md", changelog: "CHANGELOG.md" };

/** Brotli quality. The maximum would take several times as long, and the build runs before every start. */
const QUALITY = 8;

/**
 * Pages for contributors: decisions, measurements, the changelog. The
 * search and the Markdown copies exclude these pages.
 */
const OF_BUILDERS = /^(decisions|changelog|figures)/;

/**
 * @typedef {object} DocsPage
 * @property {string} name its path below /docs; empty for the first page
 * @property {string} source its file, from the root of the checkout
 * @property {string} text Markdown
 */

/**
 * Writes the documentation to `target`/docs. The programs in `target` must be compiled already, because the
 * reference loads them.
 * @param {string} root
 * @param {string} target
 */
export async function compileDocs(root, target) {
  const folder = join(target, "docs");
  mkdirSync(folder, { recursive: true });
  const pages = [...writtenPages(root), ...(await buildReferencePages(root, target))];
  const shell = await shellOf(root, folder);
  const names = new Map(pages.map(({ source, name }) => [source, name]));
  const nav = navOf(pages);
  const rendered = pages.map((page) => ({ page, ...renderPage(page, names) }));
  const found = rendered.filter(({ page }) => !OF_BUILDERS.test(page.name));
  const index = JSON.stringify(found.flatMap(({ page, title, tokens }) => buildSections(page, title, tokens)));
  const indexName = `search-${digest(index)}.json`;
  write(folder, indexName, index);
  for (const { page, title, html, contents } of rendered) {
    const name = page.name || "index";
    write(folder, `${name}.html`, shell({ page, title, html, contents, nav, index: indexName }));
    if (!OF_BUILDERS.test(name)) write(folder, `${name}.md`, page.text);
  }
  write(folder, "llms.txt", readFileSync(join(root, "llms.txt"), "utf8"));
  copyPictures(root, folder, rendered.map(({ html }) => html).join());
}

/** @param {string} root @returns {DocsPage[]} */
function writtenPages(root) {
  /** @param {string} name @param {string} source */
  const page = (name, source) => ({ name, source, text: readFileSync(join(root, source), "utf8") });
  const isPage = (/** @type {string} */ name) => name.endsWith(".md") && name !== "README.md";
  return [
    page("", "docs/README.md"),
    ...["", "decisions/"].flatMap((below) =>
      readdirSync(join(root, "docs", below))
        .filter(isPage)
        .map((name) => page(below + name.slice(0, -".md".length), `docs/${below}${name}`)),
    ),
    ...Object.entries(OTHERS).map(([name, source]) => page(name, source)),
    { name: "decisions", source: "docs/decisions/", text: decisionsPage(root) },
  ];
}

/** The page that lists all decisions. @param {string} root */
function decisionsPage(root) {
  const items = readdirSync(join(root, "docs/decisions")).map((name) => {
    const [heading = ""] = readFileSync(join(root, "docs/decisions", name), "utf8").split("\n", 1);
    return `- [${heading.slice(2)}](decisions/${name})`;
  });
  return `# Decisions\n\nWhy things are as they are, a page for each decision that was not obvious.\n\n${items.join("\n")}\n`;
}

/**
 * Builds the navigation shown beside every page: the sections of the first page, then the reference.
 * @param {DocsPage[]} pages
 */
function navOf(pages) {
  const first = pages.find(({ name }) => name === "")?.text ?? "";
  const [, ...parts] = first.split(/^## /m);
  const sections = parts.map((part) => ({
    title: part.split("\n", 1)[0] ?? "",
    links: [...part.matchAll(/^- \[([^\]]+)\]\(([\w./-]+)\)/gm)].map(([, title = "", path = ""]) => ({
      title,
      name: pages.find(({ source }) => source === join("docs", path))?.name,
    })),
  }));
  const missing = sections.flatMap(({ links }) => links).find(({ name }) => name === undefined);
  if (missing) throw new Error(`docs/README.md: ${missing.title} leads to no page`);
  const reference = pages.filter(({ name }) => name.startsWith("reference/"));
  const links = reference.map(({ name, text }) => ({ title: text.slice(2).split("\n", 1)[0] ?? "", name }));
  return [
    ...sections,
    { title: "Reference", links: [...links, { title: "REST and ingestion (OpenAPI)", name: "/api/docs" }] },
  ].filter(({ links: { length } }) => length > 0);
}

/**
 * Builds script and style. Returns the function that renders a page.
 * @param {string} root
 * @param {string} folder
 */
async function shellOf(root, folder) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ["web/docs/search.ts", "web/docs/docs.css"],
    outdir: folder,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome111", "firefox113", "safari16.4"],
    legalComments: "none",
    write: false,
    logLevel: "warning",
  });
  await stop();
  /** @param {string} ending */
  const put = (ending) => {
    const text = outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
    const name = `${ending === ".js" ? "search" : "docs"}-${digest(text)}${ending}`;
    write(folder, name, text);
    return `/docs/${name}`;
  };
  const [script, style] = [put(".js"), put(".css")];
  const template = readFileSync(join(root, "web/docs/page.html"), "utf8");
  /**
   * @param {{ page: DocsPage, title: string, html: string, contents: string, nav: ReturnType<typeof navOf>, index:
   * string }} parts
   */
  return ({ page, title, html, contents, nav, index }) => {
    const link = (/** @type {{ title: string, name: string | undefined }} */ { title: text, name = "" }) =>
      `<li><a href="${name.startsWith("/") ? name : addressOf(name)}"${name === page.name ? ' aria-current="page"' : ""}>${text}</a></li>`;
    // Decisions are numerous and short. The full navigation would be most of the size of each page.
    const isDecision = page.name.startsWith("decisions/");
    const beside = nav
      .filter(({ links }) => !isDecision || links.some(({ name }) => name === "decisions"))
      .map((section) => `<h2>${section.title}</h2><ul>${section.links.map(link).join("")}</ul>`)
      .join("");
    /** @type {Record<string, string>} */
    const values = { title, script, style, index: `/docs/${index}`, nav: beside, contents, article: html };
    return template.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? "");
  };
}

/** @param {string} name */
const addressOf = (name) => (name === "" ? "/docs" : `/docs/${name}`);

/** @param {string} text */
const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 10);

/** @param {string} folder @param {string} name @param {string} text */
function write(folder, name, text) {
  const path = join(folder, `${name}.br`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }));
}

/** Copies the pictures that a page shows. @param {string} root @param {string} folder @param {string} html */
function copyPictures(root, folder, html) {
  mkdirSync(join(folder, "pictures"), { recursive: true });
  for (const name of readdirSync(join(root, "docs/pictures")))
    if (html.includes(`/docs/pictures/${name}`))
      copyFileSync(join(root, "docs/pictures", name), join(folder, "pictures", name));
}
