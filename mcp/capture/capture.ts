import { isUuid } from "../../formats/uuid.ts";
import type { CallResult } from "../registry/call-tool.ts";
import type { Recorder } from "./recorder.ts";

/** Records one finished call of a tool. */
export type Capture = (call: {
  tool: string;
  args: unknown;
  result: CallResult;
  /** When it began, epoch ms. */
  timestamp: number;
  /** `_meta` of the request. */
  meta: Record<string, unknown>;
}) => void;

/** The members of `_meta` in which a client names the session and the turn a call belongs to. */
const SESSION = "dev.trackway/session_id";
const TURN = "dev.trackway/turn_id";

/** capture_turn records by itself. */
const NOT_RECORDED = new Set(["capture_turn"]);

interface CaptureOptions {
  key: string;
  /** The session of calls whose client names none; without it they are not recorded. */
  sessionId: string | undefined;
  turnId?: string | undefined;
}

/** Records calls with one ingest key, under the session and turn the client names. */
export function createCapture(recorder: Recorder, { key, ...defaults }: CaptureOptions): Capture {
  return ({ tool, args, result, timestamp, meta }) => {
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
      latency: Date.now() - timestamp,
    });
  };
}

const uuid = (value: unknown) => (typeof value === "string" && isUuid(value) ? value : undefined);
