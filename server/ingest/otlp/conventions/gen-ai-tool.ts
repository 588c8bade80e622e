import { type Convention, from, type Meaning } from "../meaning/convention.ts";

/** The operation of a span. */
export const OPERATION = "gen_ai.operation.name";

/** The user of a conversation, by attributes that SDKs add in any convention: the AI SDK from version 7, and Laminar. */
export const ADDED = {
  session: ["ai.settings.context.sessionId", "lmnr.association.properties.session_id"],
  user: ["ai.settings.context.userId", "lmnr.association.properties.user_id"],
} as const;

/** The user of the conversation. */
export const who: Pick<Convention, "sessionId" | "userId"> = {
  sessionId: from(
    "gen_ai.conversation.id",
    "session.id",
    "gen_ai.session.id",
    "conversation.id",
    "thread.id",
    ...ADDED.session,
  ),
  userId: from("user.id", "enduser.id", "gen_ai.user.id", ...ADDED.user),
};

/** A call of a tool. */
export const tool: Meaning = {
  where: { [OPERATION]: /^execute_tool$/ },
  kind: "tool",
  id: from("gen_ai.tool.call.id", "gen_ai.tool.call_id"),
  name: from("gen_ai.tool.name", "@name"),
  args: from("gen_ai.tool.call.arguments", "gen_ai.tool.arguments", "@event/gen_ai.tool.message/arguments"),
  result: from("gen_ai.tool.call.result", "gen_ai.tool.result", "@event/gen_ai.tool.message/content"),
  metadata: ["gen_ai.tool.type", "error.type"],
};
