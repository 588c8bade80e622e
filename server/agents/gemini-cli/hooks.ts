import type { AgentHooks, PartialObservation } from "../agent-hooks.ts";
import {
  hasFailedExitCode,
  type Payload,
  readNumber,
  readObject,
  readObjects,
  readString,
  readTime,
  toObservedText,
  toText,
  withoutUndefined,
} from "../fields.ts";
import type { ReportedUsage } from "../observation.ts";
import { THOUGHTS } from "../observation.ts";

/** Hooks of Gemini CLI. Events have a time, but turns and calls have no ids. */
export const geminiCliHooks: AgentHooks = {
  source: "gemini-cli",
  common: (payload) => ({
    session: readString(payload, "session_id"),
    sessionMetadata: withoutUndefined({ cwd: readString(payload, "cwd") }),
  }),
  events: {
    BeforeAgent: (payload, now) => ({ ...turn(payload), startedAt: readTime(payload) ?? now }),
    AfterAgent: (payload, now) => ({
      ...turn(payload),
      result: toObservedText(payload["prompt_response"]),
      endedAt: readTime(payload) ?? now,
      ends: "turn",
    }),
    BeforeTool: (payload, now) => ({ ...call(payload), startedAt: readTime(payload) ?? now }),
    AfterTool: (payload, now) => ({
      ...call(payload),
      ...outcome(payload),
      endedAt: readTime(payload) ?? now,
      ends: "event",
    }),
    AfterModel: (payload, now) => {
      const counts = counted(payload);
      return counts ? { ...request(payload), ...counts, endedAt: readTime(payload) ?? now, ends: "event" } : {};
    },
    Notification: (payload, now) =>
      readString(payload, "notification_type") === "ToolPermission"
        ? {
            waits: { for: "permission" },
            args: toObservedText(permissionOf(payload)),
            startedAt: readTime(payload) ?? now,
          }
        : {},
    SessionEnd: (payload, now) => ({ ends: "session", endedAt: readTime(payload) ?? now }),
  },
};

const turn = (payload: Payload): PartialObservation => ({ kind: "turn", args: toObservedText(payload["prompt"]) });

/**
 * Returns the token counts of a model's response. A response arrives in several events, and only the last event, which
 * has a finish reason, counts.
 */
function counted(payload: Payload): PartialObservation | undefined {
  const response = readObject(payload, "llm_response");
  const isLast = readObjects(response, "candidates").some(
    (candidate) => readString(candidate, "finishReason") !== undefined,
  );
  const sent = readObject(response, "usageMetadata");
  const [inputTokens, outputTokens] = [readNumber(sent, "promptTokenCount"), readNumber(sent, "candidatesTokenCount")];
  if (!isLast || inputTokens === undefined || outputTokens === undefined) return undefined;
  const cacheReadTokens = readNumber(sent, "cachedContentTokenCount");
  const usage = withoutUndefined<ReportedUsage>({ inputTokens, outputTokens, cacheReadTokens });
  return { usage, metadata: { [THOUGHTS]: thoughtsIn(sent, inputTokens + outputTokens) } };
}

/**
 * Returns the number of thinking tokens. If the event does not contain the number, the number is the difference between
 * the total and all other counted tokens.
 */
function thoughtsIn(sent: Payload, counted: number): number {
  const total = readNumber(sent, "totalTokenCount") ?? counted;
  const inTools = readNumber(sent, "toolUsePromptTokenCount") ?? 0;
  return readNumber(sent, "thoughtsTokenCount") ?? Math.max(0, total - counted - inTools);
}

const request = (payload: Payload): PartialObservation => {
  const model = readString(readObject(payload, "llm_request"), "model");
  return { kind: "llm", name: model, model, result: toObservedText(readObject(payload, "llm_response")["text"]) };
};

const call = (payload: Payload): PartialObservation => ({
  kind: "tool",
  name: readString(payload, "tool_name"),
  args: toObservedText(payload["tool_input"]),
});

/**
 * Returns the command or other action that needs permission. If the event names no action, returns the message of the
 * permission dialog.
 */
function permissionOf(payload: Payload): string | undefined {
  const details = readObject(payload, "details");
  const [title, path] = [
    readString(details, "title"),
    readString(details, "filePath") ?? readString(details, "fileName"),
  ];
  return (
    readString(details, "command") ?? (title && path ? `${title}: ${path}` : title) ?? readString(payload, "message")
  );
}

/**
 * Reads the result of a call, and whether the call failed. A tool reports an error as an object. For a failed command,
 * only the output text shows the failure.
 */
function outcome(payload: Payload): PartialObservation {
  const response = readObject(payload, "tool_response");
  const text = contentOf(response);
  const failure = response["error"];
  const error = readString(readObject(response, "error"), "message") ?? (failure ? toText(failure) : undefined);
  const result = toObservedText(text);
  if (error !== undefined) return { success: false, error, result };
  return hasFailedExitCode(text) ? { success: false, error: text, result } : { success: true, result };
}

/** Removes the fence around a result. */
export const removeFence = (text: string): string => text.replace(FENCE, "");

const FENCE = /^<untrusted_context>\n|\n<\/untrusted_context>$/g;

/** Returns the text that the model received, without the `<untrusted_context>` tags around the text. */
function contentOf(response: Payload): string | undefined {
  const content = response["llmContent"];
  const parts = readObjects(response, "llmContent").flatMap((part) => readString(part, "text") ?? []);
  const text = parts.length > 0 ? parts.join("\n") : toText(content);
  return text === undefined ? undefined : removeFence(text);
}
