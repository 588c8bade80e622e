import { isUuid } from "../../formats/uuid.ts";
import type { CallResult } from "../registry/call-tool.ts";
import type { Recorder } from "./recorder.ts";

/** Records one finished tool call. */
export type CaptureToolCall = (call: {
  tool: string;
  args: unknown;
  result: CallResult;
  /** Start of the call, in ms since 1970. */
  timestamp: number;
  /** Duration of the call in ms. */
  latency: number;
  /** The member `_meta` of the request. */
  meta: Record<string, unknown>;
}) => void;

/** Members of `_meta` in which a client names the session and the turn of a call. */
const SESSION = "dev.trackway/session_id";
const TURN = "dev.trackway/turn_id";

/** Tools that record their own calls. */
const NOT_RECORDED = new Set(["capture_turn"]);

interface CaptureOptions {
  key: string;
  /**
   * Session for calls whose client names no session. If undefined, calls whose client names no session are not
   * recorded.
   */
  sessionId: string | undefined;
  turnId?: string | undefined;
}

/** Creates a function that records calls with one ingest key, in the session and turn that the client names. */
export function createToolCallCapture(recorder: Recorder, { key, ...defaults }: CaptureOptions): CaptureToolCall {
  return ({ tool, args, result, timestamp, latency, meta }) => {
    const named = uuid(meta[SESSION]);
    const sessionId = named ?? defaults.sessionId;
    if (sessionId === undefined || NOT_RECORDED.has(tool)) return;
    recorder.record({
      key,
      sessionId,
      turnId: uuid(meta[TURN]) ?? (named ? undefined : defaults.turnId),
      tool,
      args,
      result: result.content[0]?.text ?? "",
      success: result.isError !== true,
      timestamp,
      latency: Math.round(latency),
    });
  };
}

const uuid = (value: unknown) => (typeof value === "string" && isUuid(value) ? value : undefined);
