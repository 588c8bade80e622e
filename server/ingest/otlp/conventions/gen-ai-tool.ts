import { type Convention, from, type Meaning } from "../meaning/convention.ts";

/** What a span is of. */
export const OPERATION = "gen_ai.operation.name";

/** Whose conversation it is. */
export const who: Pick<Convention, "sessionId" | "userId"> = {
  sessionId: from("gen_ai.conversation.id", "session.id", "gen_ai.session.id", "conversation.id", "thread.id"),
  userId: from("user.id", "enduser.id", "gen_ai.user.id"),
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
