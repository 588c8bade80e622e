import type { AgentHooks, PartialObservation } from "../agent-hooks.ts";
import {
  isFailedExit,
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
import type { Usage } from "../observation.ts";
import { THOUGHTS } from "../observation.ts";

/** Gemini CLI. Events have a time, but turns and calls have no ids. */
export const geminiCli: AgentHooks = {
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

/** A model's response arrives in pieces, each as an event. Only the last piece, which has a finish reason, counts. */
function counted(payload: Payload): PartialObservation | undefined {
  const response = readObject(payload, "llm_response");
  const isLast = readObjects(response, "candidates").some(
    (candidate) => readString(candidate, "finishReason") !== undefined,
  );
  const sent = readObject(response, "usageMetadata");
  const [inputTokens, outputTokens] = [readNumber(sent, "promptTokenCount"), readNumber(sent, "candidatesTokenCount")];
  if (!isLast || inputTokens === undefined || outputTokens === undefined) return undefined;
  const cacheReadTokens = readNumber(sent, "cachedContentTokenCount");
  const usage = withoutUndefined<Usage>({ inputTokens, outputTokens, cacheReadTokens });
  return { usage, metadata: { [THOUGHTS]: thoughtsIn(sent, inputTokens + outputTokens) } };
}

/** Returns the thinking tokens. If no count of them is sent, the total exceeds the counted tokens by them. */
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

/** Returns the command or other action that needs permission; the dialog's message if the action is absent. */
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

/** An error is an object. Only the text shows that a command failed. */
function outcome(payload: Payload): PartialObservation {
  const response = readObject(payload, "tool_response");
  const text = contentOf(response);
  const failure = response["error"];
  const error = readString(readObject(response, "error"), "message") ?? (failure ? toText(failure) : undefined);
  const result = toObservedText(text);
  if (error !== undefined) return { success: false, error, result };
  return isFailedExit(text) ? { success: false, error: text, result } : { success: true, result };
}

/** Removes the fence around a result. */
export const removeFence = (text: string): string => text.replace(FENCE, "");

const FENCE = /^<untrusted_context>\n|\n<\/untrusted_context>$/g;

/** Returns the text that the model received, without the fence. */
function contentOf(response: Payload): string | undefined {
  const content = response["llmContent"];
  const parts = readObjects(response, "llmContent").flatMap((part) => readString(part, "text") ?? []);
  const text = parts.length > 0 ? parts.join("\n") : toText(content);
  return text === undefined ? undefined : removeFence(text);
}
