import { speakAnthropic } from "./models/anthropic.ts";
import { speakGemini } from "./models/gemini.ts";
import { speakResponses } from "./models/responses.ts";
import type { Speak } from "./models/serve.ts";

/** A real program, and how it is run against a scripted model. */
export interface Program {
  package: string;
  version: string;
  command: string;
  speak: Speak;
  /** What it is told: one prompt, nothing asked. */
  args: string[];
  /** Variables that point it to the model and turn off everything else that it would reach. */
  env(model: string): Record<string, string>;
  /** Settings that somebody who uses it would have, by path under the home folder. */
  files?(model: string): Record<string, string>;
  /** A file of variables under the home folder that it is started with, where `connect` says so. */
  variables?: string;
  /** Whether its sources tell of tokens. */
  tokens: boolean;
}

const PROMPT = "Run echo hello and read a missing file.";

/** The programs, with the versions that are known to work so. */
export const PROGRAMS: Record<string, Program> = {
  "claude-code": {
    package: "@anthropic-ai/claude-code",
    version: "2.1.197",
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
    version: "0.169.0",
    command: "codex",
    speak: speakResponses,
    args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT],
    env: () => ({ SCRIPTED_KEY: "sk-fake" }),
    files: (model) => ({ ".codex/config.toml": codexSettings(model) }),
    tokens: true,
  },
  "gemini-cli": {
    package: "@google/gemini-cli",
    version: "0.61.0",
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
    version: "1.0.102",
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

const GEMINI_SETTINGS = `{
  // Settings that were here before Trackway.
  "security": { "auth": { "selectedType": "gemini-api-key" } },
  "general": { "enableAutoUpdate": false },
  "privacy": { "usageStatisticsEnabled": false }
}
`;
