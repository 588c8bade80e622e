import { expect } from "chai";
import { findings } from "../../scripts/english.js";

const foundIn = (path: string, text: string) => findings(path, text).found;

describe("the check of the English", () => {
  it("refuses comments that withhold their subject, with the line and the cure", () => {
    const source = `const a = \`\${{ b: "// What" }.b} // Whether\`;\n\n// Whether it is open.\nconst b = a / 1; // What is a?`;
    expect(foundIn("x.ts", source)).to.deep.equal(['x.ts:3: opens with "Whether": begin with the subject']);
  });

  it("refuses words of the dialect in comments and docs, and types named by them", () => {
    expect(foundIn("x.ts", "/** The clients that are\n * told. */\ninterface Told {}")).to.have.length(2);
    expect(
      foundIn("x.md", "# News\n\n- The clients that\n  are told.\n\n```\ntold\n```\n`told`, and told apart"),
    ).to.deep.equal(['x.md:3: "told": name who sends what: sent, reported, listed, notified, set']);
  });

  it("counts sentences over 25 words and refuses none", () => {
    const text = `// ${"one ".repeat(26)}. ${"two ".repeat(25)}`;
    expect(findings("x.ts", text)).to.deep.equal({ found: [], passages: 1, long: 1 });
  });
});
