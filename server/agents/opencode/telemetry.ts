import type { RecordMeaning, TelemetryConvention } from "../convention.ts";
import { vercelAiConvention } from "../conventions/vercel-ai.ts";

const FAILED_EXIT = /^-?[1-9]\d*$/;
const RESULT = ["ai.toolCall.result"];

const ours: RecordMeaning["where"] = { "@resource/service.name": /^opencode$/ };

/**
 * opencode: its own spans around the spans of the AI SDK. A prompt is a turn, or a subagent if a tool sent the prompt.
 * The AI SDK's span around each request is not an event. The request that generates a title is not part of the
 * conversation. Only the exit code in the result shows that a command failed.
 */
export const opencode: TelemetryConvention = {
  ...vercelAiConvention,
  name: "opencode",
  source: "opencode",
  userId: { at: "ai.telemetry.metadata.userId", match: /^(?!unknown$).+/ },
  spans: [
    { names: ["SessionPrompt.prompt"], where: ours, root: true, kind: "turn", ends: "turn" },
    { names: ["SessionPrompt.prompt"], where: ours, root: false, kind: "subagent", ends: "event" },
    { names: ["SessionPrompt.ensureTitle"], where: ours, kind: "other", name: "@name" },
    { names: ["ai.streamText"], where: ours },
    ...(vercelAiConvention.spans ?? []).map((meaning) => ({
      ...meaning,
      where: ours,
      ...(meaning.kind === "tool" && {
        failedBy: [{ at: RESULT, path: ["metadata", "exit"], match: FAILED_EXIT }],
        error: { at: ["@event/exception/exception.message", "@status"], or: { at: RESULT, path: ["output"] } },
      }),
    })),
  ],
};
