import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { createCommandLineParser } from "../../cli/program.ts";
import { environmentSchema as mcpSettings } from "../../mcp/config.ts";
import { TOOLS } from "../../mcp/registry/tools.ts";
import { configSchema } from "../../server/config.ts";
import { getIntrospectionSchema } from "../../server/graphql/schema.ts";
import { startSharedServer } from "../support/server.ts";
import { APPEARANCES, findViolations, setAppearance } from "../support/web/axe.ts";
import { openApp, setUpBrowserTests } from "../support/web/web.ts";

const DOCS = "dist/docs";
const MOST_BYTES = 1.25 * 1024 * 1024;
const html = { Accept: "text/html" };

const written = () =>
  ["docs", "docs/decisions"].flatMap((folder) =>
    readdirSync(folder).flatMap((name) =>
      name.endsWith(".md") && name !== "README.md" ? [join(folder, name).slice("docs/".length, -".md".length)] : [],
    ),
  );

describe("the documentation at /docs", () => {
  let url = "";
  before(async () => {
    ({ url } = await startSharedServer());
  });
  const read = async (path: string) => (await fetch(url + path, { headers: html })).text();

  it("serves every page of docs/ with a policy that allows only its own scripts, and as Markdown", async () => {
    for (const name of ["", ...written().map((each) => `/${each}`)]) {
      const response = await fetch(`${url}/docs${name}`, { headers: html });
      const policy = response.headers.get("Content-Security-Policy") ?? "";
      expect([response.status, response.headers.get("Content-Type")], name).to.deep.equal([
        200,
        "text/html; charset=utf-8",
      ]);
      expect(policy).to.include("default-src 'none'").and.not.include("unsafe");
      expect(await response.text()).to.not.match(/<script(?! type="module" src=)|<style| style=| on\w+="/);
    }
    const markdown = await fetch(`${url}/docs/tutorial.md`);
    expect(markdown.headers.get("Content-Type")).to.equal("text/markdown; charset=utf-8");
    expect(await markdown.text()).to.equal(readFileSync("docs/tutorial.md", "utf8"));
  });

  it("contains no broken links, including headings, and lists every page", async () => {
    const first = await read("/docs");
    const shown = [...first.matchAll(/href="\/docs\/?([^"#]*)/g)].map(([, name = ""]) => name);
    const decisions = written().filter((name) => name.startsWith("decisions/"));
    const inList = await read("/docs/decisions");
    expect(written().filter((name) => !name.startsWith("decisions/") && !shown.includes(name))).to.deep.equal([]);
    expect(decisions.filter((name) => !inList.includes(`href="/docs/${name}"`))).to.deep.equal([]);
    const pages = new Map<string, string>();
    const at = async (path: string) => pages.get(path) ?? (pages.set(path, await read(path)).get(path) as string);
    const broken: string[] = [];
    for (const name of ["", ...shown.filter((each) => !each.includes(".")), ...decisions]) {
      const page = await at(name ? `/docs/${name}` : "/docs");
      for (const [, path = "", heading] of page.matchAll(/(?:href|src)="((?:\/docs[^"#]*)?)(?:#([^"]*))?"/g)) {
        const target = path ? await at(path) : page;
        if (heading && !target.includes(`id="${heading}"`)) broken.push(`${name}: ${path}#${heading}`);
        if (target.startsWith('{"error"')) broken.push(`${name}: ${path}`);
      }
    }
    expect(broken).to.deep.equal([]);
  });

  it("takes at most 1.25 MB", () => {
    const files = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).map((name) => statSync(join(DOCS, name)));
    const bytes = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
    expect(bytes).to.be.at.most(MOST_BYTES);
  });

  it("documents every query, mutation, type, field, tool, command, option and variable", async () => {
    const reference = async (name: string) => read(`/docs/reference/${name}`);
    const schema = getIntrospectionSchema("native");
    const [queries, mutations, types, inputs] = await Promise.all(
      ["queries", "mutations", "types", "inputs"].map(reference),
    );
    const missing: string[] = [];
    const expectIn = (text: string | undefined, part: string) => text?.includes(part) || missing.push(part);
    for (const name of Object.keys(schema.getQueryType()?.getFields() ?? {}))
      expectIn(queries, `id="${name.toLowerCase()}"`);
    for (const name of Object.keys(schema.getMutationType()?.getFields() ?? {}))
      expectIn(mutations, `id="${name.toLowerCase()}"`);
    for (const type of Object.values(schema.getTypeMap())) {
      if (/^(__|Query$|Mutation$)/.test(type.name)) continue;
      const page = type.name.endsWith("Input") || "isOneOf" in type ? inputs : types;
      const section = page?.split(`id="${type.name.toLowerCase()}"`)[1]?.split("<h2")[0];
      if (section === undefined) missing.push(type.name);
      if ("getFields" in type) for (const field of Object.keys(type.getFields())) expectIn(section, `<code>${field}`);
    }
    const tools = await reference("mcp-tools");
    for (const { name, inputSchema } of TOOLS.values()) {
      const section = tools.split(`id="${name}"`)[1]?.split("<h2")[0];
      for (const argument of Object.keys(inputSchema.shape)) expectIn(section, `<code>${argument}</code>`);
    }
    const commands = await reference("cli");
    for (const command of (await createCommandLineParser()).commands.filter((each) => each.name() !== "help")) {
      const section = commands.split(`id="trackway-${command.name()}"`)[1]?.split("<h2")[0];
      for (const option of command.options.filter(({ hidden }) => !hidden)) expectIn(section, option.long ?? "");
    }
    const environment = await reference("environment");
    for (const name of [...Object.keys(configSchema.shape), ...Object.keys(mcpSettings.shape)])
      expectIn(environment, `<code>${name}</code>`);
    expect(missing).to.deep.equal([]);
  });

  it("serves /llms.txt and all of its links", async () => {
    const text = await read("/llms.txt");
    expect(text).to.equal(readFileSync("llms.txt", "utf8"));
    const links = [...text.matchAll(/\]\((docs\/[\w-]+\.md)\)/g)].map(([, path = ""]) => path);
    expect(links.length).to.be.greaterThan(10);
    for (const path of links) expect((await fetch(`${url}/${path}`)).status, path).to.equal(200);
  });

  it("serves no file outside its folder, and allows only reads", async () => {
    for (const path of ["/docs/..%2f..%2fpackage.json", "/docs/nothing", "/docs/reference"])
      expect((await fetch(url + path)).status, path).to.equal(404);
    expect((await fetch(`${url}/docs`, { method: "POST" })).status).to.equal(404);
  });
});

describe("the documentation in a browser", () => {
  const web = setUpBrowserTests();

  it("finds a section by its words and opens it, by keyboard alone", async () => {
    const { page, problems } = await openApp(web.browser, web.tenant.url, "/docs");
    await page.keyboard.press("/");
    await page.keyboard.type("lease fence");
    await page.locator("#found [role=option]").first().waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/docs\/[\w/-]+/);
    expect(await page.locator("main").textContent()).to.match(/fence/);
    await page.goto(`${web.tenant.url}/docs`);
    await page.getByRole("combobox").fill("zzzz no such thing");
    await page.getByText("No results.").waitFor();
    expect(problems).to.deep.equal([]);
  });

  for (const look of APPEARANCES)
    it(`is accessible and fits at ${look.width} pixels in the ${look.theme} theme`, async () => {
      const { page } = await openApp(web.browser, web.tenant.url, "/docs");
      await setAppearance(page, look);
      for (const path of ["/docs", "/docs/operations", "/docs/reference/mcp-tools"]) {
        await page.goto(web.tenant.url + path);
        expect(await findViolations(page, look), path).to.deep.equal([]);
        const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        expect(over, path).to.be.at.most(0);
      }
    });
});
