/** Kind of an event. Users mainly count `turn` and `tool`. */
export type EventKind = "turn" | "tool" | "llm" | "subagent" | "other";

/** Text that the source may have truncated. A later, complete text replaces it. */
export interface ObservedText {
  text: string;
  truncated?: boolean;
}

/** Token counts as the agent reports them, unchanged. Cost in US dollars, only if the agent reported the cost. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  cost?: number;
}

/** Metadata with token counts that have no column of their own, but a price. */
export const THOUGHTS = "thoughts_token_count";
export const HOUR_WRITE = "ephemeral_1h_input_tokens";

/** Name of a compaction. No report of a compaction has an id. */
export const COMPACTION = "compaction";

/** Maximum characters of an agent's own id. */
export const MAX_ID = 512;

/** Report of an agent that it waits for the user. The observation's `name` and `args` describe the request. */
export interface WaitReport {
  for: "permission" | "answer";
  /** Agent's own ids of the request and of the call that the request concerns. */
  id?: string | undefined;
  call?: string | undefined;
  /** True if the request was answered. */
  over?: true;
  /** True if the agent waits after the end of its turn, for the next prompt. */
  afterTurn?: true;
}

/**
 * Report of one source (a hook, a log record, a span) about one event of an agent's session. Several observations, in
 * any order and with any repeats, complete one event. An undefined member was not reported.
 * A class, so that new observations have all members from the start. V8 would otherwise move an object each time a
 * member is added, and each order of adding members would create a different object shape. An object literal with the
 * same members has the same benefit.
 */
export class Observation {
  /** Agent or service: `claude-code`, `codex`, `gemini-cli`, or the name that the agent or service reports. */
  source: string;
  /** True for hooks, false for OTLP. If ids are missing, each source reports a part of an event once. */
  isHook?: boolean;
  /** True for a line of the agent's transcript file, a third source besides hooks and OTLP. */
  isTranscript?: boolean;
  /**
   * Sessions from which the session continues, for a line of a file that may be a copy of theirs. A turn that one of those
   * sessions reports is counted there alone.
   */
  copyOf?: readonly string[];
  /** Conversation id as the agent sent it. Without an id, the trace stands for the session. */
  session?: string;
  /**
   * Trace and span ids in hex. They connect observations that name neither session nor turn. `span` is the span of this
   * event (or link), `parentSpan` the surrounding span. The span of a log record is its `parentSpan`.
   */
  trace?: string;
  span?: string;
  parentSpan?: string;

  /** Undefined for an observation about the session, or a span that only links other spans: no event results. */
  kind?: EventKind;
  /**
   * True for a span that no convention recognizes. It becomes an event only in a trace with a recognized span, and
   * never surrounds other events.
   */
  isUnknown?: boolean;
  /** True if the span becomes an event in every trace. */
  isShown?: boolean;
  /** Agent's own id of the event: prompt or turn id, tool_use_id or call_id, request or response id. */
  id?: string;
  /** Agent's ids of the turn, and of the call that started the event (or its subagent). */
  turn?: string;
  parentCall?: string;

  /** Start and end, epoch ms; duration in ms. A missing value is computed from the others. */
  startedAt?: number;
  endedAt?: number;
  latency?: number;
  /**
   * True if the times are arrival times on the server, because the source sends none. Any time from the agent's clock
   * takes precedence.
   */
  isArrival?: boolean;

  name?: string;
  /** True if another source provides a better name than, for example, `mcp_tool`. */
  nameIsGeneric?: boolean;
  args?: ObservedText;
  result?: ObservedText;
  success?: boolean;
  /**
   * True if the source reports rejected calls like executed ones. The call counts as rejected unless another source
   * reports success.
   */
  isRefusedUnlessTold?: boolean;
  /** Complete error text. */
  error?: string;
  model?: string;
  /** Only one source of each agent reports usage, so that nothing counts twice. */
  usage?: Usage;
  metadata?: Record<string, unknown>;

  /** Scope that this observation ends: the event itself, the turn, or the session. */
  ends?: "event" | "turn" | "session";
  /** Set if the agent waits for the user. No event results. */
  waits?: WaitReport;
  /** User, as named in the telemetry. */
  user?: { id: string; traits?: Record<string, unknown> };
  /** Metadata of the session, such as working directory and version. */
  sessionMetadata?: Record<string, unknown>;
  /** Keyed hash of the input as sent, for calls without ids that are matched by input. */
  input?: string;

  constructor(source: string) {
    this.source = source;
  }
}
