import type { TelemetryConvention } from "../convention.ts";
import { buildLogRecordMeanings, geminiCliConvention } from "../gemini-cli/telemetry.ts";

/**
 * Qwen Code is derived from Gemini CLI and sends the same records under its own name. Newer versions also send GenAI
 * spans, except for the turn.
 */
export const qwenCode: TelemetryConvention = {
  ...geminiCliConvention,
  name: "Qwen Code",
  source: "qwen-code",
  logs: buildLogRecordMeanings("qwen-code"),
  spans: [
    {
      names: ["qwen-code.interaction"],
      kind: "turn",
      id: "qwen-code.prompt_id",
      failedBy: [{ at: "qwen-code.turn_status", match: /^(?!ok$)/ }],
      error: ["@status", "qwen-code.turn_status"],
      ends: "turn",
    },
  ],
};
