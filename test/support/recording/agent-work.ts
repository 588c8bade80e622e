import { randomUUID } from "node:crypto";
import type { Tenant } from "../server.ts";
import { postHook } from "./observed-sessions.ts";

/** Session of Claude Code that works in a folder and reports through hooks. */
export interface WorkingSession {
  id: string;
  /**
   * Reports a command that ends with an exit code; without a code, the command is still running. Resolves when the
   * command is recorded.
   */
  runs(command: string, exitCode?: number, output?: string): Promise<void>;
  begins(command: string): Promise<void>;
  edits(path: string): Promise<void>;
  calls(tool: string, input: object, response?: unknown): Promise<void>;
  asks(prompt: string): Promise<void>;
  answers(text: string): Promise<void>;
}

/** Starts a session with a prompt. */
export async function startWorkingSession(
  tenant: Tenant,
  prompt: string,
  cwd = "/srv/parcels",
  id: string = randomUUID(),
): Promise<WorkingSession> {
  const turn = { prompt_id: randomUUID() };
  const hook = async (name: string, more: object = {}) => {
    const { status, text } = await postHook(tenant, "claude-code", {
      session_id: id,
      cwd,
      ...turn,
      hook_event_name: name,
      ...more,
    });
    if (status >= 300) throw new Error(`${name}: ${status} ${text}`);
  };
  const calls = async (tool: string, input: object, end: { tool_response?: unknown; error?: string }) => {
    const call = { tool_name: tool, tool_input: input, tool_use_id: `toolu_${randomUUID()}` };
    await hook("PreToolUse", call);
    await hook(end.error === undefined ? "PostToolUse" : "PostToolUseFailure", { ...call, ...end, duration_ms: 1 });
  };
  const asks = async (text: string) => {
    turn.prompt_id = randomUUID();
    await hook("UserPromptSubmit", { prompt: text });
  };
  await asks(prompt);
  return {
    id,
    asks,
    calls: (tool, input, response = "done") => calls(tool, input, { tool_response: response }),
    runs: (command, exitCode = 0, output = "ok") =>
      calls(
        "Bash",
        { command },
        exitCode === 0
          ? { tool_response: { stdout: output, stderr: "", interrupted: false, isImage: false } }
          : { error: `Exit code ${exitCode}\n${output}` },
      ),
    begins: (command) =>
      hook("PreToolUse", { tool_name: "Bash", tool_input: { command }, tool_use_id: `toolu_${randomUUID()}` }),
    edits: (path) =>
      calls("Edit", { file_path: path, old_string: "a", new_string: "b" }, { tool_response: { filePath: path } }),
    answers: (text) => hook("Stop", { last_assistant_message: text }),
  };
}
