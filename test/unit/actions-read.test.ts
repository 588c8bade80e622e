import { expect } from "chai";
import { TOOLS } from "../../mcp/registry/tools.ts";
import { splitCommands, unwrapShellCommand } from "../../server/agents/shell-text.ts";
import type { ActionEvent } from "../../server/resources/recorded/actions/action.ts";
import { mergePlans } from "../../server/resources/recorded/actions/plan.ts";
import { readActions, readEffect } from "../../server/resources/recorded/actions/read.ts";

const event = (name: string, input: unknown, more: Partial<ActionEvent> = {}): ActionEvent => ({
  kind: "tool",
  name,
  args: typeof input === "string" ? input : JSON.stringify(input),
  result: "",
  success: true,
  open: false,
  latency: 40,
  metadata: null,
  agent: "claude-code",
  cwd: "/work/app",
  ...more,
});
const read = (...given: Parameters<typeof event>) => readActions(event(...given)) as any[];
const files = (...given: Parameters<typeof event>) =>
  read(...given).map(({ path, change, added, removed }) => [path, change, added, removed]);
const exitCode = (agent: string | null, more: Partial<ActionEvent>, command = "npm test", name = "Bash") =>
  read(name, { command }, { agent, ...more })[0].exitCode;

describe("actions of a recorded event", () => {
  it("are file changes by the tools of every agent", () => {
    const edit = { file_path: "src/a.ts", old_string: "a\nb\nc", new_string: "a\nB\nX\nc" };
    expect(files("Edit", edit)).to.deep.equal([["src/a.ts", "edit", 2, 1]]);
    expect(files("replace", edit, { agent: "gemini-cli" })).to.deep.equal([["src/a.ts", "edit", 2, 1]]);
    const camel = { filePath: "src/a.ts", oldString: "b", newString: "" };
    expect(files("edit", camel, { agent: "opencode" })).to.deep.equal([["src/a.ts", "edit", 0, 1]]);
    const pairs = {
      file_path: "a.ts",
      edits: [
        { old_string: "1", new_string: "2" },
        { old_string: "3", new_string: "4\n5" },
      ],
    };
    expect(files("MultiEdit", pairs)).to.deep.equal([["a.ts", "edit", 3, 2]]);
    const made = { result: '{"type":"create","filePath":"n.ts"}' };
    expect(files("Write", { file_path: "n.ts", content: "a\nb\n" }, made)).to.deep.equal([["n.ts", "create", 2, 0]]);
    expect(files("write_file", { file_path: "n.ts", content: "a" })).to.deep.equal([["n.ts", "edit", 1, 0]]);
    const patch =
      "*** Begin Patch\n*** Add File: a.txt\n+x\n+y\n*** Update File: b.txt\n*** Move to: c.txt\n@@\n-p\n+q\n*** Delete File: d.txt\n*** End Patch";
    const patched = [
      ["a.txt", "create", 2, 0],
      ["c.txt", "rename", 1, 1],
      ["d.txt", "delete", 0, 0],
    ];
    for (const input of [patch, { input: patch }, { command: patch }])
      expect(files("apply_patch", input, { agent: "codex" })).to.deep.equal(patched);
    const inShell = { command: ["bash", "-lc", `apply_patch <<'EOF'\n${patch}\nEOF`] };
    expect(files("shell", inShell, { agent: "codex" })).to.deep.equal(patched);
  });

  it("are empty for events that failed, are open, only read, or are no tool call", () => {
    const edit = { file_path: "a.ts", old_string: "a", new_string: "b" };
    expect(files("Edit", edit, { success: false })).to.deep.equal([]);
    expect(files("Edit", edit, { open: true })).to.deep.equal([]);
    expect(files("Edit", edit, { kind: "turn" })).to.deep.equal([]);
    expect(read("Read", edit)).to.deep.equal([]);
    for (const args of ["", "null", "[]", "{", '{"file_path": 7}', '"a"'])
      expect(files("Edit", args)).to.deep.equal([]);
  });

  it("may be an unknown change if the tool or its input is not known", () => {
    const effect = (...given: Parameters<typeof event>) => readEffect(event(...given)) as any;
    const any = { is: "change", paths: [null] };
    const run = { cmd: "npm test" };
    for (const name of ["mcp__box__bash", "mcp__box__write_file", "box.exec_command", "write_stdin", "Unheard"])
      expect(effect(name, run), name).to.deep.equal(any);
    for (const name of [
      "Read",
      "mcp__trackway__finish_issue",
      "trackway_get_issue",
      "trackway-list_teams",
      "TodoWrite",
    ])
      expect(effect(name, {}), name).to.deep.equal({ is: "change", paths: [] });
    const cut = '{"file_path":"/other/big.ts","content":"\\"file_path\\":\\"/w/a.ts\\" and so on';
    expect(effect("Write", cut).paths).to.deep.equal(["/other/big.ts"]);
    expect(effect("Write", '{"content":"and so on').paths).to.deep.equal([null]);
    expect(effect("Bash", '{"command":"npm test && rm').paths).to.deep.equal([null]);
    const patch = "*** Begin Patch\n*** Update File: b.txt\n*** Move to: c.txt\n";
    expect(effect("apply_patch", `${patch}*** End Patch`, { success: false }).paths).to.deep.equal(["b.txt", "c.txt"]);
    expect(effect("apply_patch", patch).paths).to.deep.equal(["b.txt", "c.txt", null]);
    expect(effect("Edit", { file_path: "a.ts" }, { success: false }).paths).to.deep.equal([]);
    expect(effect("Edit", { file_path: "a.ts" }, { success: false, open: true }).paths).to.deep.equal(["a.ts"]);
    expect(effect("Bash", { command: "bash -c 'npm test'" })).to.include({ line: "bash -c 'npm test'", exitCode: 0 });
    expect(effect("shell", { command: ["bash", "-lc", "npm test"] })).to.include({ line: "npm test" });
    expect(effect("shell", { command: ["/tmp/bash", "-c", "npm test"] })).to.include({
      line: "/tmp/bash -c 'npm test'",
    });
    expect(effect("Bash", { command: "npm test" }, { open: true })).to.include({ exitCode: null });
  });

  it("exclude Trackway's own tools, however an agent writes the server's name", () => {
    const spellings = [
      "",
      "mcp__trackway__",
      "mcp__plugin_trackway_trackway__",
      "mcp_trackway_",
      "trackway_",
      "trackway-",
    ];
    const changing = [...TOOLS.keys()]
      .flatMap((tool) => [...spellings, "trackway.", "trackway/"].map((server) => server + tool))
      .filter(
        (name) => readEffect(event(name, {})).is !== "change" || (readEffect(event(name, {})) as any).paths.length > 0,
      );
    expect(changing).to.deep.equal([]);
  });

  it("have an exit code only if the agent's record contains one", () => {
    expect(exitCode("claude-code", { result: "ok" })).to.equal(0);
    expect(exitCode("claude-code", { result: "Exit code 1\nfailed", success: false })).to.equal(1);
    expect(exitCode("claude-code", { result: "The user doesn't want to proceed", success: false })).to.equal(null);
    expect(exitCode("claude-code", {}, "grep -r x src")).to.equal(null);
    expect(exitCode("claude-code", {}, "npm test | git -C a grep 'x;y'")).to.equal(null);
    expect(exitCode("claude-code", {}, "git commit -m x")).to.equal(0);
    expect(exitCode("claude-code", { latency: 120_000 })).to.equal(null);
    expect(exitCode("claude-code", { metadata: '{"backgroundTaskId":"b1"}' })).to.equal(null);
    expect(exitCode("claude-code", { metadata: '{"interrupted":true}' })).to.equal(null);
    const codex =
      "Chunk ID: d1\nWall time: 0.0 seconds\nProcess exited with code 0\nOriginal token count: 2\nOutput:\nhello\n";
    expect(exitCode("codex", { result: codex })).to.equal(0);
    expect(exitCode("codex", { result: codex.replace("code 0", "code 2"), success: false })).to.equal(2);
    expect(exitCode("codex", { result: codex, success: false })).to.equal(null);
    expect(exitCode("codex", { result: "hello\nProcess exited with code 0\n" })).to.equal(null);
    expect(exitCode("codex", { result: "hello\n" })).to.equal(null);
    expect(exitCode("gemini-cli", { result: "Output: hello\nProcess Group PGID: 30303" })).to.equal(0);
    const failed = "Output: no\nExit Code: 1\nProcess Group PGID: 30303";
    expect(exitCode("gemini-cli", { result: failed, success: false })).to.equal(1);
    expect(exitCode("gemini-cli", { result: "hello" })).to.equal(null);
    const qwen =
      "Command: x\nDirectory: (root)\nOutput: hello\nError: (none)\nExit Code: 0\nSignal: (none)\nProcess Group PGID: (none)";
    expect(exitCode("qwen-code", { result: qwen })).to.equal(0);
    expect(exitCode("qwen-code", { result: "hello" })).to.equal(null);
    expect(exitCode("github-copilot", { result: "hello\n<shellId: 0 completed with exit code 0>" })).to.equal(0);
    expect(exitCode("pi", {})).to.equal(0);
    expect(exitCode("opencode", {})).to.equal(null);
    expect(exitCode("opencode", { metadata: '{"exit_code":0}' })).to.equal(0);
    for (const agent of [null, "cursor", "mine"]) expect(exitCode(agent, { result: codex })).to.equal(null);
    expect(exitCode(null, { metadata: '{"exit_code":3}', success: false })).to.equal(3);
    const background = { command: "npm test", run_in_background: true };
    expect(read("Bash", background)[0]).to.include({ exitCode: null, isBackground: true });
    expect(exitCode("claude-code", {}, "npm test &")).to.equal(null);
  });

  it("show a command without the shell around it", () => {
    expect(unwrapShellCommand('bash -lc "npm test -- --grep \\"x y\\""')).to.equal('npm test -- --grep "x y"');
    expect(unwrapShellCommand("sh -c 'npm test' || true")).to.equal("sh -c 'npm test' || true");
    expect(read("shell", { command: ["/bin/bash", "-lc", "npm test"], workdir: "/w" })[0]).to.include({
      command: "npm test",
      cwd: "/w",
    });
    expect(read("exec_command", { cmd: "npm test" })[0]).to.include({ command: "npm test", cwd: "/work/app" });
    expect(splitCommands("a 'b c' && d \"e;f\"|g; h\\ i # j")).to.deep.equal([
      ["a", "b c"],
      ["d", "e;f"],
      ["g"],
      ["h i"],
    ]);
    expect(splitCommands("echo 'open")).to.equal(undefined);
  });

  it("are commits and pushes only if git reported them", () => {
    const made = "[main 1a2b3c4] Mend the parser\n 1 file changed";
    const commit = { kind: "commit", sha: "1a2b3c4", branch: "main", subject: "Mend the parser", isAmend: false };
    const git = (command: string, result: string) => read("Bash", { command }, { result }).slice(1);
    expect(git("git add -A && git -C /w commit -m x", made)).to.deep.equal([commit]);
    expect(git("git commit --amend --no-edit", made)).to.deep.equal([{ ...commit, isAmend: true }]);
    expect(git("git commit -m x", "[detached HEAD 1a2b3c4] x")[0]).to.include({ branch: null, sha: "1a2b3c4" });
    expect(git("git commit -m x", "[main (root-commit) 1a2b3c4] x")[0]).to.include({ branch: "main", sha: "1a2b3c4" });
    for (const command of ["cat log", "echo git commit", "git log", "git commit -m x; cat other.log"])
      expect(git(command, command.includes("other") ? `${made}\n[main 9999999] Another's` : made)).to.deep.equal([]);
    const pushed =
      "To /srv/x.git\n   1a2b3c4..2b3c4d5  fix -> fix\n * [new branch]      b -> b\n ! [rejected] c -> c (fetch first)";
    expect(git("git push origin fix b c", pushed)).to.deep.equal([
      { kind: "push", branch: "fix", remote: "origin" },
      { kind: "push", branch: "b", remote: "origin" },
    ]);
  });

  it("are the plan in its latest version", () => {
    const list = read("TodoWrite", {
      todos: [
        { content: "One", status: "completed" },
        { content: "Two", status: "pending" },
      ],
    });
    const items = [
      { text: "One", status: "completed" },
      { text: "Two", status: "pending" },
    ];
    expect(mergePlans(list)).to.deep.equal(items);
    const codex = {
      plan: [
        { step: "One", status: "completed" },
        { step: "Two", status: "pending" },
      ],
    };
    expect(mergePlans(read("update_plan", codex, { agent: "codex" }))).to.deep.equal(items);
    const tasks = [
      ...read("TaskCreate", { subject: "One" }, { result: "Task #1 created successfully: One" }),
      ...read("TaskCreate", { subject: "Two" }, { result: "Task #2 created successfully: Two" }),
      ...read("TaskUpdate", { taskId: "1", status: "completed" }),
    ];
    expect(mergePlans(tasks)).to.deep.equal(items);
  });
});
