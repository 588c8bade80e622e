import { randomUUID } from "node:crypto";
import { expect } from "chai";
import type { AgentHooks } from "../../server/agents/agent-hooks.ts";
import { claudeCodeHooks } from "../../server/agents/claude-code/hooks.ts";
import { codexHooks } from "../../server/agents/codex/hooks.ts";
import { cursorHooks } from "../../server/agents/cursor/hooks.ts";
import { geminiCliHooks } from "../../server/agents/gemini-cli/hooks.ts";
import { opencodeHooks } from "../../server/agents/opencode/hooks.ts";
import { qwenCodeHooks } from "../../server/agents/qwen-code/hooks.ts";
import { isSourceWithoutIds } from "../../server/ingest/observe/correlation.ts";
import { freshOrganization, postHook, readSession } from "../support/recording/observed-sessions.ts";
import type { Tenant } from "../support/server.ts";

const AGENTS: readonly AgentHooks[] = [
  claudeCodeHooks,
  codexHooks,
  cursorHooks,
  geminiCliHooks,
  opencodeHooks,
  qwenCodeHooks,
];

/** Ids that a payload gives to the turn, the call and other members. */
interface Ids {
  turn: string;
  call: string;
}

/**
 * Builds a payload of one kind of hook. The payload has every member that the agent reads, with texts that name the
 * session.
 */
function payloadOf(agent: AgentHooks, kind: string, session: string, { turn, call }: Ids, says: string): object {
  const isOfSubagent = /subagent/i.test(kind);
  return {
    hook_event_name: kind,
    [agent.sessionKey ?? "session_id"]: session,
    ...{ prompt_id: turn, turn_id: turn, generation_id: turn },
    ...{ tool_use_id: call, tool_call_id: call, subagent_id: call, request_id: call, elicitation_id: call },
    ...(isOfSubagent && { agent_id: `agent ${call}`, agent_type: "helper", subagent_type: "helper" }),
    ...{ prompt: says, text: says, task: says, summary: says, message: says, error_message: says, error: says },
    ...{ last_assistant_message: says, prompt_response: says, tool_output: says, questions: [{ text: says }] },
    ...{ tool_name: "Bash", tool_input: { command: says }, tool_response: { stdout: says, stderr: "" } },
    tool_calls: [{ tool_use_id: call, tool_name: "Bash", tool_input: { command: says }, tool_response: says }],
    info: { id: call, role: "assistant", modelID: "m", sessionID: session, time: { created: 1, completed: 2 } },
    part: {
      type: "tool",
      callID: call,
      messageID: call,
      tool: "bash",
      state: { status: "completed", input: { command: says }, output: says, time: { start: 1, end: 2 } },
    },
  };
}

async function report(tenant: Tenant, agent: AgentHooks, session: string, ids: Ids, says: string): Promise<void> {
  for (const kind of Object.keys(agent.events)) {
    const { status, text } = await postHook(tenant, agent.source, payloadOf(agent, kind, session, ids, says));
    expect(status, `${kind}: ${text}`).to.equal(204);
  }
}

/** Returns the texts of a session's events in a fixed order. */
const saidIn = ({ events }: any): string[] =>
  events.map(({ kind, args, result }: any) => JSON.stringify({ kind, args, result })).sort();

async function sessionOf(tenant: Tenant, session: string): Promise<any> {
  const { recordedSessions } = await tenant.gql("{ recordedSessions(first: 50) { nodes { id externalId } } }");
  const found = recordedSessions.nodes.find(({ id, externalId }: any) => (externalId ?? id) === session);
  return readSession(tenant, found.id);
}

describe("a hook with the turn or call id of another session", () => {
  for (const agent of AGENTS) {
    it(`changes no event of that session, for every kind of hook of ${agent.source} in either order`, async () => {
      const tenant = await freshOrganization();
      const own = randomUUID();
      const ids = { turn: randomUUID(), call: `call_${randomUUID()}` };
      await report(tenant, agent, own, ids, "mine");
      const before = await sessionOf(tenant, own);
      expect(before.events.length).to.be.above(0);
      const others = [randomUUID(), "a session by name"];
      for (const other of others) {
        await report(tenant, agent, other, ids, `of ${other}`);
        expect(await sessionOf(tenant, own), other).to.deep.equal(before);
        const foreign = await sessionOf(tenant, other);
        const known = new Set([before.id, ...before.events.map(({ id }: any) => id)]);
        expect(saidIn(foreign).filter((each) => each.includes("mine"))).to.deep.equal([]);
        expect(foreign.events.length).to.equal(before.events.length);
        expect(foreign.events.filter(({ id, parentId }: any) => known.has(id) || known.has(parentId))).to.deep.equal(
          [],
        );
      }
      // Without ids, a repeated report counts as another call.
      if (isSourceWithoutIds(agent.source)) return;
      await report(tenant, agent, own, ids, "mine");
      expect(saidIn(await sessionOf(tenant, own))).to.deep.equal(saidIn(before));
    });
  }

  it("leaves the turn's id with the session that reported it first", async () => {
    const tenant = await freshOrganization();
    const [turn, first, second] = [randomUUID(), randomUUID(), randomUUID()];
    const hook = { hook_event_name: "UserPromptSubmit", prompt_id: turn };
    await postHook(tenant, "claude-code", { ...hook, session_id: first, prompt: "first" });
    await postHook(tenant, "claude-code", { ...hook, session_id: second, prompt: "second" });
    const [one, other] = [await sessionOf(tenant, first), await sessionOf(tenant, second)];
    expect(one.events.map(({ id, args }: any) => [id, args])).to.deep.equal([[turn, "first"]]);
    expect(other.events.map(({ id, args }: any) => [id === turn, args])).to.deep.equal([[false, "second"]]);
  });
});
