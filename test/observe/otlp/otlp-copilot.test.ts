import { expect } from "chai";
import { recordTelemetry } from "../../support/recording/telemetry.ts";

/** Builds the report of a command by GitHub Copilot CLI 1.0.102. */
const command = (id: number, result: string) => ({
  id,
  name: "execute_tool bash",
  at: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.conversation.id": "c",
    "gen_ai.tool.name": "bash",
    "gen_ai.tool.call.id": `t-${id}`,
    "gen_ai.tool.call.arguments": '{"command":"cat it"}',
    "gen_ai.tool.call.result": result,
  },
});

describe("a command that GitHub Copilot CLI ran", () => {
  it("is failed when its output ends with an exit code other than 0, even if the span reports success", async () => {
    const failed = "cat: it: No such file or directory\n<shellId: 0 completed with exit code 1>";
    const { trees } = await recordTelemetry([
      command(1, failed),
      command(2, "hello\n<shellId: 1 completed with exit code 0>"),
      command(3, "grep '<shellId: 0 completed with exit code 1>' log\n<shellId: 12 completed with exit code 0>"),
      command(4, "still running"),
    ]);
    expect(trees.map(({ success }) => success)).to.deep.equal([false, true, true, true]);
    expect(trees[0]).to.include({
      result: failed,
      error: "cat: it: No such file or directory",
      session_id: trees[1]?.["session_id"],
    });
  });
});
