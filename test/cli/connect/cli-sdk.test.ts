import { expect } from "chai";
import { createCliUser } from "../../support/cli/cli.ts";

describe("trackway connect env --sdk", () => {
  it("prints the settings of each SDK, without a login and without a key", async () => {
    const person = createCliUser();
    const linesOf = async (sdk: string) => {
      const { code, stdout, stderr } = await person.run(["connect", "env", "--sdk", sdk, "--dry-run"]);
      expect(code, stderr).to.equal(0);
      expect(stdout).to.include("TRACKER_INGEST_KEY").and.not.match(/sk_/);
      return stdout;
    };
    expect(await linesOf("langsmith")).to.equal(
      "export LANGSMITH_TRACING='true'\nexport LANGSMITH_ENDPOINT='http://127.0.0.1:4000/sdk/langsmith'\nexport LANGSMITH_API_KEY=\"$TRACKER_INGEST_KEY\"\n",
    );
    for (const sdk of ["openai-agents", "langfuse", "laminar", "braintrust"])
      expect(await linesOf(sdk)).to.include("http://127.0.0.1:4000");
    expect(person.files()).to.deep.equal({});
  });

  it("is suggested instead of an agent's name with --sdk", async () => {
    const { code, stderr } = await createCliUser().run(["connect", "codex", "--sdk", "langsmith", "--dry-run"]);
    expect(code).to.equal(2);
    expect(stderr).to.include("trackway connect env --sdk langsmith");
  });
});
