import { COMPLETION } from "../documents/completion.ts";
import { getSession } from "../tools/get-session.ts";
import type { ResourceKind } from "./resource.ts";

interface Data {
  recordedSessions: { nodes: { id: string }[] };
}

/** A recorded session, as get_session shows it, as text. */
export const sessionResource: ResourceKind = {
  name: "session",
  title: "Session",
  description: "A recorded agent session as a tree of turns and tool calls.",
  variable: "id",
  mimeType: "text/plain",
  async read(session_id, context) {
    const { session } = await getSession.handler({ session_id }, context);
    const { tree, ...about } = session as { tree: string };
    return `${JSON.stringify(about)}\n\n${tree}`;
  },
  async complete(typed, { graphql }) {
    const { recordedSessions } = await graphql<Data>(COMPLETION.sessions);
    return recordedSessions.nodes.map(({ id }) => id).filter((id) => id.startsWith(typed.toLowerCase()));
  },
};
