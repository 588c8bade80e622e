import { asText, isFailedExit, objectOf, objectsOf, type Payload, textOf, timeIn, whole } from "../fields.ts";
import { defined } from "../observe/fold/facts.ts";
import type { Observation } from "../observe/observation.ts";
import type { AgentHooks, PartialObservation } from "./agent-hooks.ts";

/** Gemini CLI: the events carry their time, but give neither turns nor calls an id. */
export const geminiCli: AgentHooks = {
  source: "gemini-cli",
  common: (payload) => ({
    session: textOf(payload, "session_id"),
    sessionMetadata: defined({ cwd: textOf(payload, "cwd") }),
  }),
  events: {
    BeforeAgent: (payload, now) => ({ ...turn(payload), startedAt: timeIn(payload) ?? now }),
    AfterAgent: (payload, now) => ({
      ...turn(payload),
      result: whole(payload["prompt_response"]),
      endedAt: timeIn(payload) ?? now,
      ends: "turn",
    }),
    BeforeTool: (payload, now) => ({ ...call(payload), startedAt: timeIn(payload) ?? now }),
    AfterTool: (payload, now) => ({
      ...call(payload),
      ...outcome(payload),
      endedAt: timeIn(payload) ?? now,
      ends: "event",
    }),
    AfterModel: (payload, now) => {
      const usage = usageOf(payload);
      return usage ? { ...request(payload), usage, endedAt: timeIn(payload) ?? now, ends: "event" } : {};
    },
    Notification: (payload, now) =>
      textOf(payload, "notification_type") === "ToolPermission"
        ? { waits: { for: "permission" }, args: whole(permissionOf(payload)), startedAt: timeIn(payload) ?? now }
        : {},
    SessionEnd: (payload, now) => ({ ends: "session", endedAt: timeIn(payload) ?? now }),
  },
};

const turn = (payload: Payload): PartialObservation => ({ kind: "turn", args: whole(payload["prompt"]) });

/** A model's answer comes in pieces, each an event: the last one has the reason why it ended, and counts. */
function usageOf(payload: Payload): Observation["usage"] | undefined {
  const response = objectOf(payload, "llm_response");
  const isLast = objectsOf(response, "candidates").some((candidate) => textOf(candidate, "finishReason") !== undefined);
  const { promptTokenCount: inputTokens, candidatesTokenCount: outputTokens } = objectOf(response, "usageMetadata");
  if (!isLast || typeof inputTokens !== "number" || typeof outputTokens !== "number") return undefined;
  return { inputTokens, outputTokens };
}

const request = (payload: Payload): PartialObservation => {
  const model = textOf(objectOf(payload, "llm_request"), "model");
  return { kind: "llm", name: model, model, result: whole(objectOf(payload, "llm_response")["text"]) };
};

const call = (payload: Payload): PartialObservation => ({
  kind: "tool",
  name: textOf(payload, "tool_name"),
  args: whole(payload["tool_input"]),
});

/** The command or what else is to be done, and the words of the dialog where that is not said. */
function permissionOf(payload: Payload): string | undefined {
  const details = objectOf(payload, "details");
  const [title, path] = [textOf(details, "title"), textOf(details, "filePath") ?? textOf(details, "fileName")];
  return textOf(details, "command") ?? (title && path ? `${title}: ${path}` : title) ?? textOf(payload, "message");
}

/** An error is an object. Only the text shows that a command failed. */
function outcome(payload: Payload): PartialObservation {
  const response = objectOf(payload, "tool_response");
  const text = contentOf(response);
  const failure = response["error"];
  const error = textOf(objectOf(response, "error"), "message") ?? (failure ? asText(failure) : undefined);
  const result = whole(text);
  if (error !== undefined) return { success: false, error, result };
  return isFailedExit(text) ? { success: false, error: text, result } : { success: true, result };
}

/** A result without the fence around it. */
export const withoutFence = (text: string): string => text.replace(FENCE, "");

const FENCE = /^<untrusted_context>\n|\n<\/untrusted_context>$/g;

/** The text that the model saw, without the fence around it. */
function contentOf(response: Payload): string | undefined {
  const content = response["llmContent"];
  const parts = objectsOf(response, "llmContent").flatMap((part) => textOf(part, "text") ?? []);
  const text = parts.length > 0 ? parts.join("\n") : asText(content);
  return text === undefined ? undefined : withoutFence(text);
}
