/** The kinds of an event; `turn` and `tool` are what a person counts. */
export type EventKind = "turn" | "tool" | "llm" | "subagent" | "other";

/** A text that a source may have cut: a whole one replaces it. */
export interface ObservedText {
  text: string;
  truncated?: boolean;
}

/** Tokens as the agent reports them, nothing added or subtracted; cost in USD, and only where the agent said it. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  cost?: number;
}

/** An agent's word that it waits for a person. The observation's `name` and `args` say for what. */
export interface Waits {
  for: "permission" | "answer";
  /** The agent's own ids: of the request, and of the call that it is about. */
  id?: string | undefined;
  call?: string | undefined;
  /** The request was answered. */
  over?: true;
  /** It waits after the end of its turn, for the next prompt. */
  afterTurn?: true;
}

/**
 * The report of one source (a hook, a log record, a span) about one event of an agent's session. Several of them, in any
 * order and any number of times, complete one event. An undefined member was not reported.
 *
 * A class, so that a new one has every member from the beginning: one that members are added to is moved each time, and
 * each order of adding them is a shape of its own to whoever reads them. A literal with these members is one as well.
 */
export class Observation {
  /** The agent or service: `claude-code`, `codex`, `gemini-cli`, else the agent's or service's name. */
  source: string;
  /** True for a hook, not for OTLP: where ids are missing, each way reports a part of an event once. */
  isHook?: boolean;
  /** True for a line of a file in which the agent keeps its session: a way of its own beside hooks and OTLP. */
  isTranscript?: boolean;
  /** The conversation's id in its own spelling; without one, the trace stands for it. */
  session?: string;
  /**
   * Trace and spans, in hex: they join what names neither session nor turn. `span` is the span that is this event (or
   * this link), `parentSpan` the one around it: a log record's span goes there.
   */
  trace?: string;
  span?: string;
  parentSpan?: string;

  /** Undefined for an observation of the session, or one that only links spans: it makes no event. */
  kind?: EventKind;
  /** A span that no convention knows: it makes an event in a trace that has a recognised one, and is none around others. */
  isUnknown?: boolean;
  /** It makes an event in any trace. */
  isShown?: boolean;
  /** The agent's own id of it: prompt or turn id, tool_use_id or call_id, request or response id. */
  id?: string;
  /** The agent's ids of what it belongs to: its turn, and the call that started it (a subagent's). */
  turn?: string;
  parentCall?: string;

  /** Start and end, epoch ms; duration in ms. A missing one is computed from the others. */
  startedAt?: number;
  endedAt?: number;
  latency?: number;
  /** The times are those of arrival here, since the source sends none. Any clock of the agent's goes before them. */
  isArrival?: boolean;

  name?: string;
  /** True when another source knows a better name (`mcp_tool`). */
  nameIsGeneric?: boolean;
  args?: ObservedText;
  result?: ObservedText;
  success?: boolean;
  /** The source reports refused calls like those that ran. The call counts as refused unless another source reports success. */
  isRefusedUnlessTold?: boolean;
  /** The whole error text. */
  error?: string;
  model?: string;
  /** Given by each agent's one source of truth alone, so that nothing counts twice. */
  usage?: Usage;
  metadata?: Record<string, unknown>;

  /** The scope that has ended with this observation: the event itself, the turn, or the session. */
  ends?: "event" | "turn" | "session";
  /** The agent waits for a person. It makes no event. */
  waits?: Waits;
  /** The person, as the telemetry names them. */
  user?: { id: string; traits?: Record<string, unknown> };
  /** Metadata of the session: working directory, version, and the like. */
  sessionMetadata?: Record<string, unknown>;
  /** A keyed hash of the input as it was sent, where calls have no id and meet by it. */
  input?: string;

  constructor(source: string) {
    this.source = source;
  }
}
