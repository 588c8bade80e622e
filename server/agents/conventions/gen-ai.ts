import type { RecordMeaning, TelemetryConvention, ValueSource } from "../convention.ts";

export const OPERATION = "gen_ai.operation.name";

/**
 * Attributes with the session and the user that some SDKs add to spans of any convention. The SDKs are AI SDK from
 * version 7, and Laminar.
 */
export const SDK_ATTRIBUTES = {
  session: ["ai.settings.context.sessionId", "lmnr.association.properties.session_id"],
  user: ["ai.settings.context.userId", "lmnr.association.properties.user_id"],
} as const;

/** Session and user of a conversation. */
export const who: Pick<TelemetryConvention, "sessionId" | "userId"> = {
  sessionId: [
    "gen_ai.conversation.id",
    "session.id",
    "gen_ai.session.id",
    "conversation.id",
    "thread.id",
    ...SDK_ATTRIBUTES.session,
  ],
  userId: ["user.id", "enduser.id", "gen_ai.user.id", ...SDK_ATTRIBUTES.user],
};

export const tool: RecordMeaning = {
  where: { [OPERATION]: /^execute_tool$/ },
  kind: "tool",
  id: ["gen_ai.tool.call.id", "gen_ai.tool.call_id"],
  name: ["gen_ai.tool.name", "@name"],
  args: ["gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "@event/gen_ai.tool.message/arguments"],
  result: ["gen_ai.tool.call.result", "gen_ai.tool.result", "@event/gen_ai.tool.message/content"],
  metadata: ["gen_ai.tool.type", "error.type"],
};

const usage: NonNullable<RecordMeaning["usage"]> = {
  inputTokens: [
    "gen_ai.usage.input_tokens",
    "gen_ai.token.input",
    "gen_ai.usage.prompt_tokens",
    "llm.usage.prompt_tokens",
  ],
  outputTokens: [
    "gen_ai.usage.output_tokens",
    "gen_ai.token.output",
    "gen_ai.usage.completion_tokens",
    "llm.usage.completion_tokens",
  ],
  cacheReadTokens: [
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.token.cache_read",
    "gen_ai.usage.cache_read_input_tokens",
    "gen_ai.usage.input_tokens.cached",
    "gen_ai.usage.details.cache_read_tokens",
    "gen_ai.usage.details.cache_read_input_tokens",
    "gen_ai.usage.cached_tokens",
  ],
  cacheWriteTokens: [
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.token.cache_creation",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.input_tokens.cache_write",
    "gen_ai.usage.details.cache_write_tokens",
    "gen_ai.usage.details.cache_creation_input_tokens",
  ],
  cost: ["gen_ai.usage.cost", "gen_ai.cost.total_cost"],
};

const DETAILS = "@event/gen_ai.client.inference.operation.details";
const INPUTS = [
  "gen_ai.input.messages",
  `${DETAILS}/gen_ai.input.messages`,
  "@event/gen_ai.content.prompt/gen_ai.prompt",
  "gen_ai.prompt_json",
];
const OUTPUTS = [
  "gen_ai.output.messages",
  `${DETAILS}/gen_ai.output.messages`,
  "@event/gen_ai.content.completion/gen_ai.completion",
  "gen_ai.completion_json",
];
/** Older versions used numbered attributes and span events for messages. */
const OLD_INPUTS = ["@last/gen_ai.prompt./.content", "@event/gen_ai.user.message/content", "gen_ai.prompt"];
const OLD_OUTPUTS = ["@last/gen_ai.completion./.content", "@event/gen_ai.choice/message", "gen_ai.completion"];

const input: ValueSource = { at: INPUTS, as: "message", or: { at: OLD_INPUTS, as: "message" } };
const prompt: ValueSource = { at: INPUTS, as: "prompt", or: { at: OLD_INPUTS, as: "prompt" } };
const reply: ValueSource = { at: OUTPUTS, as: "message", or: { at: OLD_OUTPUTS, as: "message" } };
/** The model that responded takes precedence over the model that was requested. */
export const MODEL_ATTRIBUTES = ["gen_ai.response.model", "gen_ai.request.model"];

export const modelCallMeaning: RecordMeaning = {
  kind: "llm",
  id: "gen_ai.response.id",
  model: MODEL_ATTRIBUTES,
  args: input,
  result: reply,
  usage,
  metadata: [
    ...["gen_ai.response.finish_reasons", "gen_ai.provider.name", "gen_ai.system", "error.type"],
    ...["gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens", "gen_ai.response.time_to_first_chunk"],
  ],
};

const agent: RecordMeaning = {
  where: { [OPERATION]: /^(?:invoke_agent|invoke_workflow)$/ },
  name: ["gen_ai.agent.name", "gen_ai.workflow.name", "@resource/service.name"],
  args: prompt,
  result: reply,
  metadata: ["gen_ai.agent.id", "gen_ai.agent.version", "error.type"],
};

/** Log record that describes the span of a model call, in which the record was written. */
const ofSpan: RecordMeaning = { kind: "llm", isItsSpan: true, timeless: true };
const inDetails = (messages: string): ValueSource => ({
  at: messages,
  as: "message",
  or: { at: "@body", path: [messages], as: "message" },
});

const MODEL_CALL = /^(?:chat|text_completion|generate_content|completion)$/;

/** OpenTelemetry semantic conventions for generative AI, with current and former names. */
export const genAiConvention: TelemetryConvention = {
  name: "GenAI",
  ...who,
  userTraits: { email: "user.email", name: "user.name" },
  spans: [
    { ...agent, root: true, kind: "turn", ends: "turn" },
    // Agent that another agent called. The called agent's tokens and cost are not read here, because the spans of the
    // called agent's model calls contain the tokens and cost.
    { ...agent, root: false, kind: "subagent", ends: "event" },
    { ...modelCallMeaning, where: { [OPERATION]: MODEL_CALL } },
    tool,
    {
      where: { [OPERATION]: /^(?:embeddings|retrieval|plan|create_agent|rerank)$/ },
      kind: "other",
      name: "@name",
      model: MODEL_ATTRIBUTES,
      metadata: [OPERATION, "error.type"],
    },
  ],
  logs: [
    {
      ...modelCallMeaning,
      ...ofSpan,
      names: ["gen_ai.client.inference.operation.details"],
      args: inDetails("gen_ai.input.messages"),
      result: inDetails("gen_ai.output.messages"),
    },
    { ...ofSpan, names: ["gen_ai.user.message"], args: { at: "@body", path: ["content"], or: ["content", "@body"] } },
    {
      ...ofSpan,
      names: ["gen_ai.choice"],
      result: { at: "@body", path: ["message", "content"], or: ["content", "@body"] },
    },
  ],
};

/**
 * Tool calls of the Model Context Protocol (MCP), reported by the client or the server. Spans of other MCP methods
 * create no events and only link the spans around them.
 */
export const mcpConvention: TelemetryConvention = {
  name: "MCP",
  sessionId: ["gen_ai.conversation.id", "session.id"],
  userId: ["user.id", "enduser.id"],
  spans: [
    {
      where: { "mcp.method.name": /^tools\/call$/ },
      kind: "tool",
      id: "gen_ai.tool.call.id",
      name: { at: ["gen_ai.tool.name", "mcp.tool.name"], or: { at: "@name", match: /^tools\/call (.+)/ } },
      args: ["gen_ai.tool.call.arguments", "mcp.request.argument"],
      result: ["gen_ai.tool.call.result", "mcp.response.value"],
      failedBy: ["error.type", "rpc.jsonrpc.error_code", "jsonrpc.error.code"],
      error: ["@event/exception/exception.message", "@status", "rpc.jsonrpc.error_message", "error.type"],
      metadata: ["mcp.session.id", "mcp.protocol.version", "error.type"],
    },
    { where: { "mcp.method.name": true } },
  ],
};
