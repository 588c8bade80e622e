import { existsSync, readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { model, webhookChecks } from "../../server/resources/index.ts";

const page = (name: string) => readFileSync(`docs/${name}.md`, "utf8");
const quotedIn = (text: string) => [...text.matchAll(/`(\w+)`/g)].map(([, name]) => name);
const rowOf = (text: string, name: string) => new RegExp(`^\\| ${name} \\| (.+) \\|$`, "m").exec(text)?.[1] ?? "";

describe("the docs", () => {
  const streamed = [...model.values()].filter(
    ({ name }) => webhookChecks.WebhookUpdateInput.shape.resourceTypes.safeParse([name]).success,
  );

  it("name every kind of change that sockets and webhooks get, and no other", () => {
    expect(quotedIn(rowOf(page("realtime"), "kind"))).to.have.members(streamed.map(({ event }) => event));
    expect(quotedIn(rowOf(page("webhooks"), "`type`"))).to.have.members(streamed.map(({ name }) => name));
  });

  it("state how many connections servers take in one place", () => {
    const pages = readdirSync("docs").filter((name) => name.endsWith(".md"));
    const stating = pages.filter((name) =>
      /max_connections` ?[−-]|≤ max_connections/.test(readFileSync(`docs/${name}`, "utf8")),
    );
    expect(stating).to.deep.equal(["operations.md"]);
  });

  it("link only to pages and headings that exist", () => {
    const broken = [...readdirSync("docs").map((name) => `docs/${name}`), "README.md", "CONTRIBUTING.md"]
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) => brokenLinks(path));
    expect(broken).to.deep.equal([]);
  });
});

const slug = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");

function brokenLinks(path: string): string[] {
  const folder = path.includes("/") ? "docs/" : "";
  const links = [...readFileSync(path, "utf8").matchAll(/\]\(([\w./-]*)(?:#([\w-]+))?\)/g)];
  return links
    .filter(([, file, heading]) => {
      const target = file ? `${folder}${file}` : path;
      if (!existsSync(target)) return true;
      if (heading === undefined) return false;
      const lines = readFileSync(target, "utf8").split("\n");
      const isIt = (line: string) => line.startsWith("#") && slug(line.replace(/^#+ /, "")) === heading;
      return !lines.some((line) => isIt(line) || line.includes(`<a id="${heading}">`));
    })
    .map(([link]) => `${path}: ${link}`);
}
