import { expect } from "chai";
import fc from "fast-check";
import { createWriter } from "../../support/recording/ingest.ts";
import { postOtlp, readStoredTrees } from "../../support/recording/otlp.ts";
import { type Attributes, buildSpansRequest, type TestSpan } from "../../support/recording/telemetry.ts";

/**
 * Messages from first to last with role and text. The prompt is the user's last message; the reply is the last
 * message.
 */
type Said = readonly (readonly [role: "system" | "user" | "assistant", text: string])[];

const LANGCHAIN = { system: "SystemMessage", user: "HumanMessage", assistant: "AIMessage" };
const OF_OLD = { system: "system", user: "human", assistant: "ai" };
const plain = (said: Said) => said.map(([role, content]) => ({ role, content }));
const constructed = (said: Said) =>
  said.map(([role, content]) => {
    const id = ["langchain_core", "messages", LANGCHAIN[role]];
    return { lc: 1, type: "constructor", id, kwargs: { content, additional_kwargs: {}, id: "run-1" } };
  });
const wanted = (said: Said) => said.at(-1)?.[1] ?? "";

/** Formats in which programs write messages. */
const SHAPES: Record<string, (said: Said) => unknown> = {
  "a text": wanted,
  "a quoted text": (said) => JSON.stringify(wanted(said)),
  "a text that is quoted twice": (said) => JSON.stringify(JSON.stringify(wanted(said))),
  "messages with parts": (said) => said.map(([role, content]) => ({ role, parts: [{ type: "text", content }] })),
  "messages with blocks": (said) => said.map(([role, text]) => ({ role, content: [{ type: "text", text }] })),
  "messages with blocks of the Responses API": (said) =>
    said.map(([role, text]) => ({ type: "message", role, content: [{ type: "output_text", text }] })),
  "messages with texts": plain,
  "messages of Gemini": (said) => said.map(([role, text]) => ({ role, parts: [{ text }] })),
  "a request with messages": (said) => ({ system: "Be brief.", messages: plain(said) }),
  "the state of LangGraph": (said) => ({ messages: constructed(said), step: 3, cart: ["tea"] }),
  "messages of LangChain as type and data": (said) =>
    said.map(([role, content]) => ({ type: OF_OLD[role], data: { content } })),
  "messages of LangChain in Python": (said) => ({
    messages: said.map(([role, content]) => ({ type: OF_OLD[role], content })),
  }),
  "a batch of one list of messages": (said) => ({ messages: [constructed(said)] }),
  "a message": (said) => plain(said).at(-1),
  "content blocks": (said) => [{ type: "text", text: wanted(said) }],
  "a content block": (said) => ({ type: "text", text: wanted(said) }),
  "a prompt of the AI SDK": (said) => ({ system: "Be brief.", prompt: wanted(said) }),
  "messages as a prompt of the AI SDK": (said) => ({ prompt: plain(said) }),
  "the arguments of a function": (said) => ({ args: [wanted(said)], kwargs: {} }),
  "a choice": (said) => ({ choices: [{ index: 0, finish_reason: "stop", message: plain(said).at(-1) }] }),
  "a generation of LangChain": (said) => ({
    generations: [[{ text: wanted(said), message: constructed(said).at(-1) }]],
    llmOutput: { tokenUsage: {} },
  }),
  "the input of a chain": (said) => ({ input: wanted(said), chat_history: [] }),
  "the output of a chain": (said) => ({ output: wanted(said) }),
};

/** Attributes with an agent's prompt and reply, by convention. */
const PLACES: Record<string, { at: Attributes; name?: string; prompt: string; reply?: string }> = {
  GenAI: {
    at: { "gen_ai.operation.name": "invoke_agent" },
    prompt: "gen_ai.input.messages",
    reply: "gen_ai.output.messages",
  },
  OpenInference: { at: { "openinference.span.kind": "AGENT" }, prompt: "input.value", reply: "output.value" },
  Langfuse: {
    at: { "langfuse.observation.type": "agent" },
    prompt: "langfuse.observation.input",
    reply: "langfuse.observation.output",
  },
  "the AI SDK": { at: {}, name: "ai.generateText", prompt: "ai.prompt" },
  OpenLLMetry: {
    at: { "traceloop.span.kind": "workflow" },
    prompt: "traceloop.entity.input",
    reply: "traceloop.entity.output",
  },
};

/** Texts that are not valid JSON. */
const text = fc
  .oneof(
    fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }),
    fc.constantFrom("Weather?\n[two]", 'a "b" c', "7"),
  )
  .filter((words) => words.trim() === words && !/^[[{"]/.test(words));
const TEXTS = 6;

describe("prompts and replies in telemetry", () => {
  it("are shown as plain text for every known message format", async () => {
    const writer = await createWriter();
    const spans: TestSpan[] = [];
    const told: { convention: string; shape: string; prompt: string; reply: string }[] = [];
    for (const [convention, { at, name, prompt, reply }] of Object.entries(PLACES)) {
      for (const [shape, write] of Object.entries(SHAPES)) {
        for (const [asked, said, before] of fc.sample(fc.tuple(text, text, text), TEXTS)) {
          const [id, written] = [told.length + 1, (said: Said) => textOf(write(said))];
          const question: Said = [
            ["system", before],
            ["user", before],
            ["assistant", before],
            ["user", asked],
          ];
          const answer: Said = [...question, ["assistant", said]];
          const values = { [prompt]: written(question), ...(reply && { [reply]: written(answer) }) };
          spans.push({ id, trace: id, ...(name && { name }), at: { ...at, "session.id": "s", ...values } });
          told.push({ convention, shape, prompt: asked, reply: reply ? said : "" });
        }
      }
    }
    const { status, bytes } = await postOtlp(
      writer,
      "/v1/traces",
      Buffer.from(JSON.stringify(buildSpansRequest(spans))),
    );
    expect([status, bytes.toString()]).to.deep.equal([200, "{}"]);
    const turns = await readStoredTrees(writer.organizationId);
    const wrong = told.filter(
      ({ prompt, reply }, at) => turns[at]?.["args"] !== prompt || turns[at]?.["result"] !== reply,
    );
    expect(wrong).to.deep.equal([]);
    expect(turns).to.have.length(told.length);
  });

  it("are kept unchanged in an unknown format", async () => {
    const own = [
      '{"answer":42}',
      '{"prompt":"a","model":"b"}',
      '{"output":"a","score":1}',
      '[{"city":"Paris"}]',
      "[]",
      "{}",
      '"open',
    ];
    const spans = own.map((value, at): TestSpan => {
      const place = { "openinference.span.kind": "AGENT", "input.value": value, "output.value": value };
      return { id: at + 1, trace: at + 1, at: { ...place, "session.id": "s" } };
    });
    const writer = await createWriter();
    await postOtlp(writer, "/v1/traces", Buffer.from(JSON.stringify(buildSpansRequest(spans))));
    const turns = await readStoredTrees(writer.organizationId);
    expect(turns.map(({ args, result }) => [args, result])).to.deep.equal(own.map((value) => [value, value]));
  });
});

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
