import { expect } from "chai";
import { listFindings } from "../../scripts/english.js";

const foundIn = (path: string, text: string) => listFindings(path, text).found;

describe("the English check of comments and docs", () => {
  it("refuses comments that withhold their subject, with the line and a fix", () => {
    const source = `const a = \`\${{ b: "// What" }.b} // Whether\`;\n\n// Whether it is open.\nconst b = a / 1; // What is a?`;
    expect(foundIn("x.ts", source)).to.deep.equal(['x.ts:3: opens with "Whether": begin with the subject']);
  });

  it("refuses words of the private dialect in comments, docs and type names", () => {
    expect(foundIn("x.ts", "/** The clients that are\n * told. */\ninterface Told {}")).to.have.length(2);
    expect(
      foundIn("x.md", "# News\n\n- The clients that\n  are told.\n\n```\ntold\n```\n`told`, and told apart"),
    ).to.deep.equal(['x.md:3: "told": name who sends what: sent, reported, listed, notified, set']);
  });

  it("counts sentences over 25 words without refusing them", () => {
    const text = `// ${"one ".repeat(26)}. ${"two ".repeat(25)}`;
    expect(listFindings("x.ts", text)).to.deep.include({ found: [], passages: 1, long: 1 });
  });

  it("refuses pronoun-heavy comments and comments that repeat a name, only in finished folders", () => {
    const source =
      "/** What it is of those that they have. */\n\n/** The open issues. */\nexport const openIssues = 1;\n// Traded for the key\n";
    expect(listFindings("x.ts", source, true).found.map((finding) => finding.split(": ")[0])).to.deep.equal([
      "x.ts:1",
      "x.ts:1",
      "x.ts:3",
      "x.ts:5",
    ]);
    expect(listFindings("x.ts", source, false).found).to.have.length(1);
  });
});
