/** How one kind of agent is told where to send. */
export interface Snippet {
  id: string;
  name: string;
  text: string;
  hint: string;
}

/** What a shell takes as it stands between single quotes. */
const quoted = (value: unknown): string => JSON.stringify(value).replaceAll("'", "'\\''");

const uuid = (): string => {
  const hex = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
};

/** The event that the snippet sends, and that the test button sends. */
export const exampleEvent = () => ({
  event_id: uuid(),
  session_id: uuid(),
  primitive_name: "my-agent",
  args: "What broke the build?",
  result: "A missing import in the parser.",
});

/** What to paste, by the way it is sent. */
export function snippets(url: string, key: string): Snippet[] {
  return [
    {
      id: "curl",
      name: "curl",
      text: `curl -X POST ${url}/api/v1/capture-events -H 'content-type: application/json' \\
  -H 'x-api-key: ${key}' \\
  -d '${quoted({ events: [exampleEvent()] })}'`,
      hint: "One POST, from any language. Paste it into a terminal: the event below arrives at once.",
    },
    ...AGENTS.map(([id, name]) => ({
      id,
      name,
      text: `./trackway login ${url}\n./trackway connect ${id}`,
      hint: "In a checkout of Trackway. It shows what it will write, asks, and makes a key of the agent's own; from its next turn on the agent is recorded.",
    })),
    {
      id: "otel",
      name: "OpenTelemetry",
      text: `export OTEL_EXPORTER_OTLP_ENDPOINT=${url}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf
export OTEL_EXPORTER_OTLP_HEADERS=x-api-key=${key}`,
      hint: "Spans and log records that follow the GenAI conventions become turns, model and tool calls.",
    },
  ];
}

/** What \`trackway connect\` sets up. */
const AGENTS: [id: string, name: string][] = [
  ["claude-code", "Claude Code"],
  ["codex", "Codex"],
  ["gemini-cli", "Gemini CLI"],
];
