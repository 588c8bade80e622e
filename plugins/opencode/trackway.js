// Made by: trackway connect opencode. This plugin sends opencode's events to Trackway, with their session and prompt.
import { spawnSync } from "node:child_process";

const COMMAND = "%COMMAND%";
/** Command that asks whether a session's claim has reached a limit. Empty if the agent was connected without --fuse. */
const FUSE = "%FUSE%";

/** @type {Map<string, string>} Parent sessions by the id of the session that a tool started. */
const around = new Map();
/** @type {Map<string, string>} Ids of the current prompts, by session. */
const prompts = new Map();
/** @type {Set<string>} Sessions with a call that was refused because of a limit and is not shown yet. */
const stopped = new Set();

/** @param {string} id */
const rootOf = (id) => {
  let root = id;
  for (let above = around.get(root); above; above = around.get(root)) root = above;
  return root;
};

/**
 * Sends an event to Trackway. The command sends in the background, so opencode does not wait for the server and may
 * exit at once.
 * @param {string} name
 * @param {string} session
 * @param {object} more
 */
function send(name, session, more) {
  const root = rootOf(session);
  const event = { hook_event_name: name, session_id: root, turn_id: prompts.get(root), time: Date.now() };
  const input = JSON.stringify({ ...event, ...(root !== session && { agent_id: session }), ...more });
  spawnSync(COMMAND, { shell: true, input, stdio: ["pipe", "ignore", "ignore"], timeout: 3_000 });
}

/** @param {any} part */
const isTold = ({ type, time, state }) =>
  type === "tool" ? state.status !== "pending" && !(state.status === "running" && state.metadata) : Boolean(time?.end);

/** @type {Record<string, (properties: any) => void>} */
const events = {
  "session.created": ({ info }) => {
    if (info.parentID) around.set(info.id, info.parentID);
  },
  "message.updated": ({ info }) => {
    if (info.role !== "assistant") return;
    prompts.set(info.sessionID, info.parentID);
    if (info.time.completed || info.error) send("message.updated", info.sessionID, { info });
  },
  "message.part.updated": ({ part }) => {
    if ((part.type === "tool" || part.type === "text") && isTold(part))
      send("message.part.updated", part.sessionID, { part });
  },
  "permission.asked": ({ id, sessionID, permission, patterns, metadata, tool }) => {
    const input = metadata?.command ? { command: metadata.command } : { path: patterns?.join(" ") };
    send("permission.asked", sessionID, { request_id: id, call_id: tool?.callID, permission, input });
  },
  "permission.replied": ({ sessionID, requestID }) => send("permission.replied", sessionID, { request_id: requestID }),
  "question.asked": ({ id, sessionID, questions, tool }) =>
    send("question.asked", sessionID, { request_id: id, call_id: tool?.callID, questions }),
  "question.replied": ({ sessionID, requestID }) => send("question.replied", sessionID, { request_id: requestID }),
  "question.rejected": ({ sessionID, requestID }) => send("question.rejected", sessionID, { request_id: requestID }),
  "session.idle": ({ sessionID }) => send("session.idle", sessionID, {}),
};

/** @param {{ directory: string, client: any }} context */
export const Trackway = async ({ directory, client }) => ({
  /** @param {{ event: { type: string, properties: any } }} given */
  event: async ({ event: { type, properties } }) => {
    events[type]?.(properties);
    const { part } = properties;
    if (type !== "message.part.updated" || part.state?.status !== "error" || !stopped.delete(part.sessionID)) return;
    // Ends the turn when the message shows the refusal. Waiting for the abort would delay opencode.
    void client.session.abort({ path: { id: rootOf(part.sessionID) } });
  },
  /**
   * Asks whether the session's claim has reached a limit. opencode waits for at most 200 ms. At the limit, every call
   * is refused, which ends the turn.
   * @param {{ sessionID: string }} input
   */
  "tool.execute.before": async ({ sessionID }) => {
    if (FUSE === "") return;
    const input = JSON.stringify({ session_id: rootOf(sessionID) });
    const { stdout } = spawnSync(FUSE, { shell: true, input, encoding: "utf8", timeout: 1_000 });
    if (!stdout) return;
    const { stopReason } = JSON.parse(stdout);
    stopped.add(sessionID);
    // opencode's terminal does not show the reason of a refused call.
    void client.tui.showToast({ body: { message: stopReason, variant: "warning", duration: 30_000 } });
    throw new Error(stopReason);
  },
  /**
   * @param {{ sessionID: string }} input
   * @param {{ message: any, parts: any[] }} output
   */
  "chat.message": async ({ sessionID }, { message, parts }) => {
    prompts.set(sessionID, message.id);
    const prompt = parts.flatMap(({ type, text, synthetic }) => (type === "text" && !synthetic ? text : [])).join("\n");
    send("chat.message", sessionID, { prompt, agent: message.agent, cwd: directory, time: message.time.created });
  },
});
