import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { runCli } from "../../support/cli/cli-run.ts";
import { runs } from "../../support/run/runs.ts";

const home = () => mkdtempSync(join(tmpdir(), "trackway-agents-md-"));

/** A folder with an AGENTS.md, and what the command makes of it. */
function folderWith(text?: string | Buffer) {
  const folder = home();
  const path = join(folder, "AGENTS.md");
  if (text !== undefined) writeFileSync(path, text);
  return {
    path,
    text: () => readFileSync(path, "utf8"),
    connect: (...args: string[]) => runCli(folder, ["connect", "--agents-md", ...args]),
  };
}

describe("The section of AGENTS.md", function () {
  this.timeout(120_000);

  it("is written once, however often, and says how work is tracked", async () => {
    const made = folderWith();
    expect((await made.connect("--yes")).code).to.equal(0);
    const first = made.text();
    expect(first)
      .to.match(/^<!-- trackway: begin[^\n]*-->\n# Issues are in Trackway\n/)
      .and.include("trackway ready --claim");
    expect(statSync(made.path).mode & 0o777).to.equal(0o644);
    expect((await made.connect("--yes")).stdout).to.equal("AGENTS.md needs no change.\n");
    expect(made.text()).to.equal(first);
  });

  it("replaces an older one at its place, and leaves everything around it alone", async () => {
    const made = folderWith("# Ours\n");
    await made.connect("--yes");
    const section = made.text().slice("# Ours\n\n".length);
    writeFileSync(made.path, `# Ours\n\n${section.replace("Work is tracked", "Work was tracked")}\n## More\n`);
    await made.connect("--yes");
    expect(made.text()).to.equal(`# Ours\n\n${section}\n## More\n`);
  });

  it("gives back every file as it was but for a missing last line end, whatever it holds", async () => {
    const line = fc.oneof(fc.string(), fc.constantFrom("", "# A", "<!-- trackway -->", "\tcode", "ä\u{1f600}"));
    const texts = fc.tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom("\n", "\r\n"), fc.boolean());
    const property = fc.asyncProperty(texts, async ([lines, newline, ends]) => {
      const plain = lines.map((one) => one.replaceAll(/[\r\n\ud800-\udfff]/g, ""));
      const text = plain.join(newline) + (ends && plain.length > 0 ? newline : "");
      const made = folderWith(text);
      await made.connect("--yes");
      const written = made.text();
      expect(written.startsWith(text)).to.equal(true);
      if (text.includes("\r\n")) expect(written).not.to.match(/[^\r]\n/);
      await made.connect("--yes");
      expect(made.text()).to.equal(written);
      await made.connect("--remove", "--yes");
      if (text !== "") expect([text, `${text}${text.includes("\r\n") ? "\r\n" : "\n"}`]).to.include(made.text());
    });
    await fc.assert(property, { numRuns: runs(60) });
  });

  it("is only shown with --dry-run, and not written where nobody agrees", async () => {
    const made = folderWith("# Ours\n");
    const dry = await made.connect("--dry-run");
    expect(dry.stdout).to.include("+ # Issues are in Trackway").and.include("Nothing was written");
    expect((await made.connect()).code).to.equal(2);
    expect(made.text()).to.equal("# Ours\n");
  });

  it("leaves alone a file whose marks are no pair, one that is no text, and names what to change", async () => {
    const [begin, end] = [
      "<!-- trackway: begin. Written by trackway connect --agents-md -->",
      "<!-- trackway: end -->",
    ];
    for (const text of [begin, end, `${end}\n${begin}`, `${begin}\n${end}\n${begin}\n${end}`]) {
      const made = folderWith(text);
      const { code, stderr } = await made.connect("--yes");
      expect([code, made.text()]).to.deep.equal([1, text]);
      expect(stderr).to.match(/^trackway: AGENTS\.md has marks .* try: leave one line/);
    }
    const bytes = Buffer.from([0xff, 0xfe, 0x41, 0x00]);
    const made = folderWith(bytes);
    expect((await made.connect("--yes")).code).to.equal(1);
    expect(readFileSync(made.path)).to.deep.equal(bytes);
  });

  it("goes into a file of another name, and not along with an agent", async () => {
    const made = folderWith();
    await made.connect("CLAUDE.md", "--yes");
    expect(readFileSync(join(made.path, "../CLAUDE.md"), "utf8")).to.include("trackway ready --claim");
    const { code, stderr } = await runCli(home(), ["connect", "cursor", "--agents-md"]);
    expect([code, stderr]).to.deep.equal([
      2,
      "trackway: An agent and --agents-md do not go together. try: two commands\n",
    ]);
  });
});
