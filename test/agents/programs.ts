import { speakAnthropic } from "./models/anthropic.ts";
import { speakChat } from "./models/chat.ts";
import { speakGemini } from "./models/gemini.ts";
import { speakResponses } from "./models/responses.ts";
import type { Speak } from "./models/serve.ts";

/** Real agent, and how to run the agent with a scripted model. */
export interface Program {
  package: string;
  /** Version of the fixtures, and newest version that was run. */
  versions: readonly string[];
  command: string;
  speak: Speak;
  /** Example that runs beside its packages. */
  example?: string;
  /** Arguments for one prompt without questions. */
  args: string[];
  /** Returns the variables that direct the agent to the model and turn off all other network access. */
  env(model: string): Record<string, string>;
  /** Returns the settings that a user would have, by path below the home folder. */
  files?(model: string): Record<string, string>;
  /** File of environment variables below the home folder with which the agent starts, if `connect` says so. */
  variables?: string;
  /** True if the agent's sources report tokens. */
  tokens: boolean;
  /**
   * Connected by hand, as in the documentation, instead of with `connect`: only with telemetry, and without
   * Trackway's tools.
   */
  byHand?: (server: string, ingestKey: string, model: string) => ByHand;
  /** True if the agent has no subagents. */
  isAlone?: true;
  /** True if the agent does not have Trackway's tools. */
  isBare?: true;
  /** True if `trackway import sessions --watch` records the agent, which has neither hooks nor telemetry. */
  isWatched?: true;
}

/** Reports whether the agent's turn contains a call of Trackway's tools. */
export const hasOurs = ({ byHand, isBare }: Program): boolean => !byHand && !isBare;

/** Reports whether the agent's turn contains an errand for a subagent. */
export const isAsking = ({ byHand, isAlone }: Program): boolean => !byHand && !isAlone;

/** Settings that a user adds to connect an agent by hand. */
export interface ByHand {
  env?: Record<string, string>;
  files?: Record<string, string>;
}

const PROMPT = "Run echo hello and read a missing file.";

/** Agents, with the versions that are known to work. */
const CONNECTED = {
  "claude-code": {
    package: "@anthropic-ai/claude-code",
    versions: ["2.1.197", "2.1.330"],
    command: "claude",
    speak: speakAnthropic({ shell: "Bash", ours: (tool) => `mcp__trackway__${tool}` }),
    args: ["-p", PROMPT, "--dangerously-skip-permissions"],
    env: (model) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "sk-fake",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      IS_SANDBOX: "1",
    }),
    tokens: true,
  },
  codex: {
    package: "@openai/codex",
    versions: ["0.169.0"],
    command: "codex",
    speak: speakResponses,
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT],
    env: () => ({ SCRIPTED_KEY: "sk-fake" }),
    files: (model) => ({ ".codex/config.toml": codexSettings(model) }),
    tokens: true,
  },
  "gemini-cli": {
    package: "@google/gemini-cli",
    versions: ["0.61.0"],
    command: "gemini",
    speak: speakGemini,
    args: ["--yolo", "-m", "gemini-2.5-flash", "-p", PROMPT],
    env: (model) => ({
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_API_KEY: "fake",
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    files: () => ({ ".gemini/settings.json": GEMINI_SETTINGS }),
    tokens: true,
  },
  copilot: {
    package: "@github/copilot",
    versions: ["1.0.102"],
    command: "copilot",
    speak: speakAnthropic({ shell: "bash", ours: (tool) => `trackway-${tool}` }),
    args: ["-p", PROMPT, "--allow-all-tools"],
    env: (model) => ({
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      COPILOT_PROVIDER_BASE_URL: model,
      COPILOT_PROVIDER_TYPE: "anthropic",
      COPILOT_PROVIDER_API_KEY: "sk-fake",
      COPILOT_MODEL: "claude-sonnet-4",
    }),
    variables: ".config/trackway/agents/copilot/telemetry.env",
    tokens: true,
  },
  "qwen-code": {
    package: "@qwen-code/qwen-code",
    versions: ["0.24.4"],
    command: "qwen",
    speak: speakChat({
      shell: "run_shell_command",
      ours: (tool) => `mcp__trackway__${tool}`,
      agent: "general-purpose",
    }),
    args: ["--yolo", "-p", PROMPT],
    env: (model) => ({ OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: "fake", OPENAI_MODEL: "gpt-5-mini" }),
    files: () => ({ ".qwen/settings.json": QWEN_SETTINGS }),
    tokens: true,
  },
  opencode: {
    package: "opencode-ai",
    versions: ["1.18.33"],
    command: "opencode",
    speak: speakChat({ shell: "bash", ours: (tool) => `trackway_${tool}` }),
    args: ["run", PROMPT],
    env: () => ({
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    }),
    files: (model) => ({ ".config/opencode/opencode.json": opencodeSettings(model) }),
    tokens: true,
  },
  pi: {
    package: "@mariozechner/pi-coding-agent",
    versions: ["0.73.1"],
    command: "pi",
    speak: speakChat({ shell: "bash", ours: String }),
    args: ["--model", "scripted/scripted-1", "-p", PROMPT],
    env: () => ({ PI_OFFLINE: "1" }),
    files: (model) => ({ ".pi/agent/models.json": piModels(model) }),
    tokens: true,
    isAlone: true,
    isBare: true,
    isWatched: true,
  },
} satisfies Record<string, Program>;

/** Builds an example, with the packages with which the example was run. */
const example = (file: string, packages: string, more: Pick<Program, "speak" | "env">): Program => ({
  ...{ package: packages, versions: [packages.split(" ")[0]?.split("@").at(-1) ?? ""], command: "node", example: file },
  ...{ args: [file, PROMPT], tokens: true, byHand: (server, key) => ({ env: exporter(server, key) }), ...more },
});

const openai = {
  speak: speakChat({ shell: "shell", ours: String }),
  env: (model: string) => ({ OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: "fake", OPENAI_MODEL: "scripted-1" }),
};

/** The agents as docs/opentelemetry.md connects them, and agents that nothing else connects. */
export const PROGRAMS: Record<string, Program> = {
  ...CONNECTED,
  "claude-code-by-hand": {
    ...CONNECTED["claude-code"],
    byHand: (server, key) => ({
      env: {
        ...exporter(server, key),
        ...{ CLAUDE_CODE_ENABLE_TELEMETRY: "1", OTEL_LOGS_EXPORTER: "otlp", OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" },
        ...{ OTEL_LOG_USER_PROMPTS: "1", OTEL_LOG_TOOL_DETAILS: "1", CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1" },
        ...{ OTEL_TRACES_EXPORTER: "otlp", OTEL_LOG_TOOL_CONTENT: "1" },
      },
    }),
  },
  "codex-by-hand": {
    ...CONNECTED.codex,
    byHand: (server, key, model) => ({
      files: { ".codex/config.toml": `${codexSettings(model)}\n${codexTelemetry(server, key)}` },
    }),
  },
  "gemini-cli-by-hand": {
    ...CONNECTED["gemini-cli"],
    byHand: (server, key) => ({
      env: exporter(server, key),
      files: {
        ".gemini/settings.json": GEMINI_SETTINGS.replace("\n}", `,\n  "telemetry": ${telemetrySettings(server)}\n}`),
      },
    }),
  },
  "vercel-ai": example(
    "vercel-ai.mjs",
    "ai@7.0.173 @ai-sdk/openai-compatible@3.0.92 @ai-sdk/otel@1.0.173 @opentelemetry/sdk-node@0.223.0 zod@4.6.7",
    openai,
  ),
  langchain: example(
    "langchain.mjs",
    "langchain@1.5.14 @langchain/core@1.4.0 @langchain/openai@1.6.0 @arizeai/openinference-instrumentation-langchain@4.1.1 @opentelemetry/sdk-node@0.223.0 zod@4.6.7",
    openai,
  ),
  "openai-agents": {
    ...example("openai-agents.mjs", "@openai/agents@0.20.0 zod@4.6.7", openai),
    byHand: (server, key) => ({ env: { TRACKER_URL: server, TRACKER_INGEST_KEY: key } }),
  },
  "claude-agent": example("claude-agent.mjs", "@anthropic-ai/claude-agent-sdk@0.3.330", {
    speak: CONNECTED["claude-code"].speak,
    env: CONNECTED["claude-code"].env,
  }),
  "qwen-code-by-hand": {
    ...CONNECTED["qwen-code"],
    versions: ["0.15.10", "0.24.4"],
    byHand: (server, key) => ({
      env: exporter(server, key),
      files: {
        ".qwen/settings.json": QWEN_SETTINGS.replace(" }\n", `, "telemetry": ${telemetrySettings(server)} }\n`),
      },
    }),
  },
};

const exporter = (server: string, key: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: server,
  OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${key}`,
});

const telemetrySettings = (server: string) =>
  `{ "enabled": true, "traces": true, "target": "local", "otlpEndpoint": "${server}", "otlpProtocol": "http", "logPrompts": true }`;

const codexTelemetry = (server: string, key: string): string => {
  const to = (signal: string) =>
    `{ otlp-http = { endpoint = "${server}/v1/${signal}", protocol = "binary", headers = { "x-api-key" = "${key}" } } }`;
  return `[otel]\nlog_user_prompt = true\nlog_agent_responses = true\nexporter = ${to("logs")}\ntrace_exporter = ${to("traces")}\n`;
};

const codexSettings = (model: string): string => `# Settings that were here before Trackway.
model = "gpt-5"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
`;

const QWEN_SETTINGS = `{ "security": { "auth": { "selectedType": "openai" } } }\n`;

const opencodeSettings = (model: string): string => `{
  // Settings that were here before Trackway.
  "model": "scripted/scripted-1",
  "share": "disabled",
  "permission": "allow",
  "provider": {
    "scripted": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "${model}/v1", "apiKey": "fake" },
      "models": { "scripted-1": { "name": "scripted-1", "cost": { "input": 1, "output": 2, "cache_read": 0.1 } } }
    }
  }
}
`;

const piModels = (model: string): string => `{
  "providers": {
    "scripted": {
      "baseUrl": "${model}/v1",
      "api": "openai-completions",
      "apiKey": "fake",
      "models": [{ "id": "scripted-1", "cost": { "input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0 } }]
    }
  }
}
`;

const GEMINI_SETTINGS = `{
  // Settings that were here before Trackway.
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "general": { "enableAutoUpdate": false },
  "privacy": { "usageStatisticsEnabled": false }
}
`;
