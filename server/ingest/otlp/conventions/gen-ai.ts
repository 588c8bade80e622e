import type { Convention, Meaning, Take } from "../meaning/convention.ts";

/** The operation of a span. */
const OPERATION = "gen_ai.operation.name";

/** The user of a conversation, by attributes that SDKs add in any convention: the AI SDK from version 7, and Laminar. */
export const ADDED = {
  session: ["ai.settings.context.sessionId", "lmnr.association.properties.session_id"],
  user: ["ai.settings.context.userId", "lmnr.association.properties.user_id"],
} as const;

/** The user of the conversation. */
const who: Pick<Convention, "sessionId" | "userId"> = {
  sessionId: [
    "gen_ai.conversation.id",
    "session.id",
    "gen_ai.session.id",
    "conversation.id",
    "thread.id",
    ...ADDED.session,
  ],
  userId: ["user.id", "enduser.id", "gen_ai.user.id", ...ADDED.user],
};

/** A call of a tool. */
const tool: Meaning = {
  where: { [OPERATION]: /^execute_tool$/ },
  kind: "tool",
  id: ["gen_ai.tool.call.id", "gen_ai.tool.call_id"],
  name: ["gen_ai.tool.name", "@name"],
  args: ["gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "@event/gen_ai.tool.message/arguments"],
  result: ["gen_ai.tool.call.result", "gen_ai.tool.result", "@event/gen_ai.tool.message/content"],
  metadata: ["gen_ai.tool.type", "error.type"],
};

const usage: NonNullable<Meaning["usage"]> = {
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
  ],
  cacheWriteTokens: [
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.cache_creation.input_tokens",
    "gen_ai.token.cache_creation",
    "gen_ai.usage.cache_creation_input_tokens",
    "gen_ai.usage.input_tokens.cache_write",
  ],
  cost: ["gen_ai.usage.cost", "gen_ai.cost.total_cost"],
};

const DETAILS = "@event/gen_ai.client.inference.operation.details";
const INPUTS = [
  "gen_ai.input.messages",
  `${DETAILS}/gen_ai.input.messages`,
  "@event/gen_ai.content.prompt/gen_ai.prompt",
];
const OUTPUTS = [
  "gen_ai.output.messages",
  `${DETAILS}/gen_ai.output.messages`,
  "@event/gen_ai.content.completion/gen_ai.completion",
];
/** Before messages had attributes of their own, they were counted attributes, and events. */
const OLD_INPUTS = ["@last/gen_ai.prompt./.content", "@event/gen_ai.user.message/content", "gen_ai.prompt"];
const OLD_OUTPUTS = ["@last/gen_ai.completion./.content", "@event/gen_ai.choice/message", "gen_ai.completion"];

const input: Take = { at: INPUTS, as: "message", or: { at: OLD_INPUTS, as: "message" } };
const prompt: Take = { at: INPUTS, as: "prompt", or: { at: OLD_INPUTS, as: "prompt" } };
const reply: Take = { at: OUTPUTS, as: "message", or: { at: OLD_OUTPUTS, as: "message" } };
/** The model that answered, else the one that was asked. */
export const MODEL = ["gen_ai.response.model", "gen_ai.request.model"];

/** A model's request. */
export const llm: Meaning = {
  kind: "llm",
  id: "gen_ai.response.id",
  model: MODEL,
  args: input,
  result: reply,
  usage,
  metadata: ["gen_ai.response.finish_reasons", "gen_ai.provider.name", "gen_ai.system", "error.type"],
};

const agent: Meaning = {
  where: { [OPERATION]: /^(?:invoke_agent|invoke_workflow)$/ },
  name: ["gen_ai.agent.name", "gen_ai.workflow.name", "@resource/service.name"],
  args: prompt,
  result: reply,
  metadata: ["gen_ai.agent.id", "gen_ai.agent.version", "error.type"],
};

/** A log record beside the span of a model's request. */
const ofSpan: Meaning = { kind: "llm", isItsSpan: true, timeless: true };
const inDetails = (messages: string): Take => ({
  at: messages,
  as: "message",
  or: { at: "@body", path: [messages], as: "message" },
});

const MODEL_CALL = /^(?:chat|text_completion|generate_content|completion)$/;

/** The semantic conventions for generative AI, in their present names and in those of old. */
export const genAi: Convention = {
  name: "GenAI",
  ...who,
  userTraits: { email: "user.email", name: "user.name" },
  spans: [
    { ...agent, root: true, kind: "turn", ends: "turn" },
    // An agent that another called: its model calls carry its tokens and cost.
    { ...agent, root: false, kind: "subagent", ends: "event" },
    { ...llm, where: { [OPERATION]: MODEL_CALL } },
    tool,
    {
      where: { [OPERATION]: /^(?:embeddings|retrieval|plan|create_agent|rerank)$/ },
      kind: "other",
      name: "@name",
      model: MODEL,
      metadata: [OPERATION, "error.type"],
    },
  ],
  logs: [
    {
      ...llm,
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

const RESULT = "gen_ai.tool.call.result";

/** GitHub Copilot CLI speaks GenAI. Only the end of its output shows that a command failed. */
export const copilot: Convention = {
  name: "GitHub Copilot CLI",
  ...who,
  spans: [
    {
      ...tool,
      where: {
        [OPERATION]: /^execute_tool$/,
        "gen_ai.tool.name": /^(?:read_|write_)?(?:bash|powershell)$/,
        [RESULT]: /<shellId: \S+ completed with exit code -?\d+>\s*$/,
      },
      failedBy: [{ at: RESULT, match: /completed with exit code (?!0>)-?\d+>\s*$/ }],
      error: RESULT,
    },
  ],
};

/** The Model Context Protocol's calls of tools, seen from either end; its other methods link what is around them. */
export const mcp: Convention = {
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
