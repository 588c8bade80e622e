import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import fc from "fast-check";
import { runCli } from "../../support/cli/cli-run.ts";
import { scaleRuns } from "../../support/run/runs.ts";

const home = () => mkdtempSync(join(tmpdir(), "trackway-agents-md-"));

/** Creates a folder with an AGENTS.md, and a function that runs the command there. */
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

describe("the section of AGENTS.md", () => {
  it("is written once for repeated calls, and says how work is tracked", async () => {
    const made = folderWith();
    expect((await made.connect("--yes")).code).to.equal(0);
    const first = made.text();
    expect(first)
      .to.match(/^<!-- trackway: begin[^\n]*-->\n# Issues are in Trackway\n/)
      .and.include("trackway ready --claim");
    expect(statSync(made.path).mode & 0o777).to.equal(0o644);
    expect((await made.connect("--yes")).stdout).to.equal("AGENTS.md is up to date.\n");
    expect(made.text()).to.equal(first);
  });

  it("replaces an older section in place, and leaves the text around it unchanged", async () => {
    const made = folderWith("# Ours\n");
    await made.connect("--yes");
    const section = made.text().slice("# Ours\n\n".length);
    writeFileSync(made.path, `# Ours\n\n${section.replace("Work is tracked", "Work was tracked")}\n## More\n`);
    await made.connect("--yes");
    expect(made.text()).to.equal(`# Ours\n\n${section}\n## More\n`);
  });

  it("is removed without a trace, except for a missing final newline, in any file", async () => {
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
    await fc.assert(property, { numRuns: scaleRuns(60) });
  });

  it("is only shown with --dry-run, and not written without confirmation", async () => {
    const made = folderWith("# Ours\n");
    const dry = await made.connect("--dry-run");
    expect(dry.stdout).to.include("+ # Issues are in Trackway").and.include("No changes were written");
    expect((await made.connect()).code).to.equal(2);
    expect(made.text()).to.equal("# Ours\n");
  });

  it("is not written into a file with unpaired marks or binary content, and the error says what to change", async () => {
    const [begin, end] = [
      "<!-- trackway: begin. Written by trackway connect --agents-md -->",
      "<!-- trackway: end -->",
    ];
    for (const text of [begin, end, `${end}\n${begin}`, `${begin}\n${end}\n${begin}\n${end}`]) {
      const made = folderWith(text);
      const { code, stderr } = await made.connect("--yes");
      expect([code, made.text()]).to.deep.equal([1, text]);
      expect(stderr).to.match(/^trackway: AGENTS\.md has an incomplete Trackway section.* try: keep exactly one line/);
    }
    const bytes = Buffer.from([0xff, 0xfe, 0x41, 0x00]);
    const made = folderWith(bytes);
    expect((await made.connect("--yes")).code).to.equal(1);
    expect(readFileSync(made.path)).to.deep.equal(bytes);
  });

  it("goes into a file of another name, and cannot be combined with an agent", async () => {
    const made = folderWith();
    await made.connect("CLAUDE.md", "--yes");
    expect(readFileSync(join(made.path, "../CLAUDE.md"), "utf8")).to.include("trackway ready --claim");
    const { code, stderr } = await runCli(home(), ["connect", "cursor", "--agents-md"]);
    expect([code, stderr]).to.deep.equal([
      2,
      "trackway: You cannot combine an agent with --agents-md. try: use two commands\n",
    ]);
  });
});
