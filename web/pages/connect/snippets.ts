/** Snippet that sets up one kind of agent. */
export interface SetupSnippet {
  id: string;
  name: string;
  text: string;
  hint: string;
}

/** Encodes a value as JSON for a single-quoted argument of a shell. */
const quoted = (value: unknown): string => JSON.stringify(value).replaceAll("'", "'\\''");

const uuid = (): string => {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
};

/** Returns the example event that the curl snippet and the test button send. */
export const buildExampleEvent = () => ({
  event_id: uuid(),
  session_id: uuid(),
  primitive_name: "my-agent",
  args: "What broke the build?",
  result: "A missing import in the parser.",
});

/** Returns the snippets to copy, one for each way to send events. */
export function buildSetupSnippets(url: string, key: string): SetupSnippet[] {
  return [
    {
      id: "curl",
      name: "curl",
      text: `curl -X POST ${url}/api/v1/capture-events -H 'content-type: application/json' \\
  -H 'x-api-key: ${key}' \\
  -d '${quoted({ events: [buildExampleEvent()] })}'`,
      hint: "Paste this command into a terminal to send one event. Programs in any language can send the same POST request.",
    },
    ...AGENTS.map(([id, name, hint]) => ({
      id,
      name,
      text: `./trackway login ${url}\nTRACKWAY_INGEST_KEY=${key} ./trackway connect ${id}`,
      hint: `Run these commands in a checkout of Trackway. The second command shows the changes and asks before it writes them. ${hint}`,
    })),
    {
      id: "otel",
      name: "OpenTelemetry",
      text: `export OTEL_EXPORTER_OTLP_ENDPOINT=${url}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${key}`,
      hint: "Trackway turns spans and log records that follow the OpenTelemetry GenAI conventions into turns, model calls and tool calls.",
    },
  ];
}

/** Agents that `trackway connect` sets up. */
const AGENTS: [id: string, name: string, hint: string][] = [
  ["claude-code", "Claude Code", "Recording starts with the next turn."],
  [
    "codex",
    "Codex",
    "If the command asks you to, type /hooks in Codex and trust the hooks. Recording starts with the next turn.",
  ],
  ["gemini-cli", "Gemini CLI", "Recording starts with the next turn, in folders that Gemini CLI trusts."],
  ["copilot", "Copilot", "Then start copilot as the command shows. Copilot reads the key only from its environment."],
  ["opencode", "opencode", "A plugin records opencode. Recording starts when you next start opencode."],
  [
    "qwen-code",
    "Qwen Code",
    "Trackway records Qwen Code from its hooks and log records. Recording starts with the next turn.",
  ],
  ["pi", "Pi", "Then run trackway import sessions --watch, which records Pi from its session files."],
  [
    "vscode",
    "VS Code",
    "Trackway records Copilot Chat. Close all windows of VS Code, then start code as the command shows.",
  ],
  [
    "cursor",
    "Cursor",
    "The command adds Trackway’s MCP tools to Cursor, and hooks that record turns and tool calls. The hooks are based on Cursor’s documentation.",
  ],
  [
    "claude-desktop",
    "Claude Desktop",
    "The command adds Trackway’s MCP tools to Claude Desktop. Claude records a turn only when you ask for it, and never its tool calls.",
  ],
];
