import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { sendHook } from "../recording/agent-calls.ts";
import type { Workspace } from "../workspace.ts";

/** Agents whose hooks report work, each in a different format. */
export type AgentName = "claude-code" | "codex" | "gemini-cli";

/** Session of an agent in a folder. The session reports each edit and each command over HTTP. */
export interface Recorder {
  session: string;
  agent: AgentName;
  folder: string;
  /** Reports an edit that inserts lines above a line. */
  inserts(path: string, above: string, lines: readonly string[]): Promise<void>;
  /** Reports an edit that replaces a line. */
  replaces(path: string, before: string, after: string): Promise<void>;
  /** Reports a created file. */
  creates(path: string, lines: readonly string[]): Promise<void>;
  /** Reports a write that replaces a whole file. */
  overwrites(path: string, lines: readonly string[]): Promise<void>;
  ran(command: string, output: string): Promise<void>;
}

const ENDPOINTS: Record<AgentName, [before: string, after: string]> = {
  "claude-code": ["PreToolUse", "PostToolUse"],
  codex: ["PreToolUse", "PostToolUse"],
  "gemini-cli": ["BeforeTool", "AfterTool"],
};

/** Starts a session with a prompt. `host` is the name of the agent's machine. */
export async function startRecorder(
  space: Workspace,
  agent: AgentName,
  session: string,
  folder: string,
  { prompt = "Go on", host = hostname() }: { prompt?: string; host?: string } = {},
): Promise<Recorder> {
  const turn = randomUUID();
  const common = { session_id: session, prompt_id: turn, turn_id: turn, cwd: folder };
  const time = () => ({ timestamp: new Date().toISOString() });
  const send = (body: object) =>
    sendHook(space, { ...common, ...time(), ...body }, agent, `?host=${encodeURIComponent(host)}`);
  const [before, after] = ENDPOINTS[agent];
  await send({ hook_event_name: agent === "gemini-cli" ? "BeforeAgent" : "UserPromptSubmit", prompt });
  const call = async (tool_name: string, tool_input: object, tool_response: unknown) => {
    const own = { tool_name, tool_input, tool_use_id: `call_${randomUUID()}` };
    await send({ ...own, hook_event_name: before });
    await send({ ...own, hook_event_name: after, tool_response, duration_ms: 5 });
  };
  const patch = (lines: readonly string[]) =>
    call("apply_patch", { command: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") }, "Success.");
  const edit = (path: string, old_string: string, new_string: string) =>
    agent === "gemini-cli"
      ? call("replace", { file_path: path, old_string, new_string }, said("Successfully modified file."))
      : call("Edit", { file_path: path, old_string, new_string }, { filePath: path });
  return {
    session,
    agent,
    folder,
    inserts: (path, above, lines) =>
      agent === "codex"
        ? patch([`*** Update File: ${path}`, "@@", ...lines.map((line) => `+${line}`), ` ${above}`])
        : edit(`${folder}/${path}`, above, [...lines, above].join("\n")),
    replaces: (path, old, now) =>
      agent === "codex"
        ? patch([`*** Update File: ${path}`, "@@", `-${old}`, `+${now}`])
        : edit(`${folder}/${path}`, old, now),
    creates: (path, lines) => {
      const whole = { file_path: `${folder}/${path}`, content: `${lines.join("\n")}\n` };
      if (agent === "codex") return patch([`*** Add File: ${path}`, ...lines.map((line) => `+${line}`)]);
      return agent === "gemini-cli"
        ? call("write_file", whole, said("Successfully created and wrote to new file."))
        : call("Write", whole, { type: "create" });
    },
    overwrites: (path, lines) =>
      call(
        "write_file",
        { file_path: `${folder}/${path}`, content: `${lines.join("\n")}\n` },
        said("Successfully overwrote file."),
      ),
    ran: (command, output) => {
      if (agent === "gemini-cli")
        return call("run_shell_command", { command }, said(`Output: ${output}\nProcess Group PGID: 7`));
      const response = agent === "codex" ? output : { stdout: output, stderr: "", interrupted: false };
      return call("Bash", { command }, response);
    },
  };
}

const said = (text: string) => ({
  llmContent: `<untrusted_context>\n${text}\n</untrusted_context>`,
  returnDisplay: text,
});
