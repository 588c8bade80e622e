/** Kind of an event. The counts that users see are mainly those of `turn` and `tool`. */
export type EventKind = "turn" | "tool" | "llm" | "subagent" | "other";

/** Text that the source may have truncated. A later, complete text replaces the truncated text. */
export interface ObservedText {
  text: string;
  truncated?: boolean;
}

/** Token counts as the agent reports them, unchanged. Cost in US dollars, only if the agent reported the cost. */
export interface ReportedUsage {
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

/**
 * Report that an agent waits for the user. The `name` and `args` of the observation describe what the agent asks for.
 */
export interface WaitReport {
  for: "permission" | "answer";
  /** Ids from the agent: `id` identifies the request, and `call` identifies the tool call that the request concerns. */
  id?: string | undefined;
  call?: string | undefined;
  /** True if the request was answered. */
  over?: true;
  /** True if the agent has ended its turn and waits for the next prompt. */
  afterTurn?: true;
}

/**
 * Report of one source (a hook, a log record, a span, or a line of a transcript) about one event of an agent's session.
 * Several observations together describe one event, in any order and with any repeats. A property that is undefined was
 * not reported. Observation is a class so that new objects have all properties from the start. Otherwise V8 would move
 * an object each time a property is added, and each order of adding properties would create a different object shape.
 * An object literal with all properties has the same benefit.
 */
export class Observation {
  /** Agent or service: `claude-code`, `codex`, `gemini-cli`, or the name that the agent or service reports. */
  source: string;
  /**
   * True for a report from a hook, false for a report from OTLP. For events without ids, the server assumes that each
   * source sends each kind of report once per event.
   */
  isHook?: boolean;
  /** True for a line of the agent's transcript file, a third source besides hooks and OTLP. */
  isTranscript?: boolean;
  /**
   * Set for a line of a transcript file that may be a copy from another session: the sessions that this session
   * continues. If one of those sessions also reports a turn, the turn is counted only in that session.
   */
  copyOf?: readonly string[];
  /** Conversation id as the agent sent it. If the agent sends no id, the trace identifies the session. */
  session?: string;
  /**
   * Trace and span ids in hex, which connect observations that name neither session nor turn. `span` is the span of the
   * event, and `parentSpan` is the span around the event. For a log record, `parentSpan` is the span in which the
   * record was written.
   */
  trace?: string;
  span?: string;
  parentSpan?: string;

  /**
   * Undefined if the observation creates no event, because the observation describes only the session or because a span
   * only links other spans.
   */
  kind?: EventKind;
  /**
   * True for a span that no convention recognizes. An unrecognized span becomes an event only if the span's trace also
   * contains a recognized record, or if `isShown` is set. The event never surrounds other events.
   */
  isUnknown?: boolean;
  /** True if the span becomes an event in every trace. */
  isShown?: boolean;
  /** Agent's own id of the event: prompt or turn id, tool_use_id or call_id, request or response id. */
  id?: string;
  /**
   * Ids from the agent: `turn` is the turn of the event, and `parentCall` is the call that started the event or the
   * subagent in which the event happened.
   */
  turn?: string;
  parentCall?: string;

  /**
   * Start and end in epoch ms, and duration in ms. If one of the three is missing, the server computes the missing
   * value from the other two.
   */
  startedAt?: number;
  endedAt?: number;
  latency?: number;
  /**
   * True if the times are arrival times on the server, because the source sends none. Any time from the agent's clock
   * takes precedence.
   */
  isArrival?: boolean;

  name?: string;
  /** True if the name is generic, such as `mcp_tool`. A name from another source then takes precedence. */
  nameIsGeneric?: boolean;
  args?: ObservedText;
  result?: ObservedText;
  success?: boolean;
  /**
   * True if the source does not distinguish rejected calls from executed calls. The call counts as rejected unless
   * another source reports success.
   */
  isRefusedUnlessTold?: boolean;
  /** Complete error text. */
  error?: string;
  model?: string;
  /**
   * Token counts and cost. If several sources report the usage of the same event, the highest values are kept, so that
   * no usage is counted twice.
   */
  usage?: ReportedUsage;
  metadata?: Record<string, unknown>;

  /** Scope that this observation ends: the event itself, the turn, or the session. */
  ends?: "event" | "turn" | "session";
  /** Set if the agent waits for the user. An observation with `waits` creates no event. */
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
