import { randomBytes, randomUUID } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import { callRestApi, type Tenant } from "../server.ts";
import { createEvent } from "./ingest.ts";
import { postHook } from "./observed-sessions.ts";

/** Creates a text in the form of a GitHub token, which the scanner detects. */
export const createGithubToken = (): string => `ghp_${randomBytes(18).toString("hex")}`;

/** Creates a PNG of noise, which does not compress: about three bytes per pixel. */
function pngOf(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const lines = Array.from({ length: height }, () => Buffer.concat([Buffer.alloc(1), randomBytes(width * 3)]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(Buffer.concat(lines))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Events of a session from capture-events, with content that only the panel of an event shows. */
export const SESSION_SCENE = {
  script: "set -e\nnpm run build\n\tnpm test",
  request: {
    system: "You fix builds.",
    messages: [
      { role: "user", content: "Why does the build fail?" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look at **the log** first." },
          { type: "tool_use", name: "Read", input: { file_path: "build.log" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", content: "error TS2307\nin round.ts" }] },
    ],
  },
};

/** Records the scene. Returns the ids of the session and events. */
export async function recordScene({ url, ingestKey }: Tenant) {
  const [session_id, turn, bash, model, picture, drawing] = Array.from({ length: 6 }, () => randomUUID());
  const timestamp = Date.now() - 600_000;
  const tool = { session_id, parent_id: turn, primitive_type: "tool", latency: 20 };
  const image = (data: Buffer | string, mimeType: string) =>
    JSON.stringify({
      content: [{ type: "image", mimeType, data: typeof data === "string" ? data : data.toString("base64") }],
    });
  const svg = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>${" ".repeat(60)}`);
  const token = createGithubToken();
  const events = [
    createEvent({
      session_id,
      event_id: turn,
      primitive_name: "coder",
      args: "Mend the build",
      timestamp,
      latency: 9_000,
    }),
    createEvent({
      ...tool,
      event_id: bash,
      primitive_name: "Bash",
      args: JSON.stringify({ command: SESSION_SCENE.script, env: `GITHUB_TOKEN=${token}` }),
      result: JSON.stringify(`pushed with ${token}\nsecond line`),
      timestamp: timestamp + 1_000,
    }),
    createEvent({
      ...tool,
      event_id: model,
      primitive_type: "llm",
      primitive_name: "claude-sonnet-4-5",
      args: JSON.stringify(SESSION_SCENE.request),
      result: JSON.stringify({ role: "assistant", content: "A module is missing." }),
      timestamp: timestamp + 2_000,
    }),
    createEvent({
      ...tool,
      event_id: picture,
      primitive_name: "screenshot",
      args: "{}",
      result: image(pngOf(100, 100), "image/svg+xml"),
      timestamp: timestamp + 3_000,
    }),
    createEvent({
      ...tool,
      event_id: drawing,
      primitive_name: "screenshot",
      args: "{}",
      result: image(svg, "image/png"),
      timestamp: timestamp + 4_000,
    }),
  ];
  const { status } = await callRestApi(url, "POST", "/api/v1/capture-events", {
    body: { events },
    headers: { "x-api-key": ingestKey },
  });
  if (status !== 202) throw new Error(`capture-events answered ${status}`);
  return { session_id, bash, model, picture, drawing };
}

/** Records an agent that asks for permission to run a command. `answer` reports that the command ran and failed. */
export async function recordWaiting(tenant: Tenant, command: string) {
  const common = { session_id: randomUUID(), cwd: "/srv/parcels", prompt_id: randomUUID() };
  const tool = { tool_name: "Bash", tool_input: { command }, tool_use_id: "toolu_1" };
  const hook = (hook_event_name: string, body: object) =>
    postHook(tenant, "claude-code", { ...common, hook_event_name, ...body });
  await hook("UserPromptSubmit", { prompt: "Publish the parcels" });
  await hook("PreToolUse", tool);
  await hook("PermissionRequest", tool);
  return {
    id: common.session_id,
    async answer() {
      await hook("PostToolUseFailure", { ...tool, error: "Exit code 1" });
      await hook("StopFailure", { error: "gave up" });
    },
  };
}
