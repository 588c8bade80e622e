import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import fc from "fast-check";
import { createClientContext } from "../../../mcp/client-context.ts";
import { readConfig } from "../../../mcp/config.ts";
import { createLineTransport } from "../../../mcp/protocol/line-transport.ts";
import { createVersionedTransport } from "../../../mcp/protocol/versioned-transport.ts";
import { createMcpProtocolServer as createMcp } from "../../../mcp/server.ts";
import { closeMcp, MCP_BIN, startSharedMcp } from "../../support/mcp.ts";
import { scaleRuns } from "../../support/run/runs.ts";
import { createOrganization, type Tenant } from "../../support/server.ts";

type Message = Record<string, any>;
const request = (id: unknown, method: string, params?: object) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params && { params }),
});
const callOf = (id: unknown, name: string, args = {}) => request(id, "tools/call", { name, arguments: args });
const cancelOf = (requestId: unknown) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});
const VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
const handshake = (protocolVersion: string) => [
  request("first", "initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "pipe", version: "1" } }),
  { jsonrpc: "2.0", method: "notifications/initialized" },
];
const META_2026 = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  },
};
const toText = (lines: unknown[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
const parseLines = (out: string): (Message | Message[])[] =>
  out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const idsOf = (out: string) => parseLines(out).flatMap((line) => [line].flat().map(({ id }) => id));
const sorted = (ids: unknown[]) => ids.map((id) => JSON.stringify(id)).sort();

describe("an MCP request id gets exactly one response", () => {
  let tenant: Tenant;
  before(async () => {
    tenant = await createOrganization();
    await tenant.gql(`mutation { teamCreate(input: { key: "ENG", name: "Engineering" }) { success } }`);
  });
  after(closeMcp);

  /** Runs the server on streams in this process: sends the bytes, then ends the input. */
  async function session(bytes: Buffer | string, { url = tenant.url, callMs = 55_000 } = {}): Promise<string> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const config = readConfig([], { TRACKER_URL: url, TRACKER_API_KEY: tenant.apiKey });
    const options = { apiKey: tenant.apiKey, ingestKey: undefined, selection: config.allowedTools };
    const lines = createLineTransport(input, output);
    const transport = createVersionedTransport(lines, callMs);
    const server = createMcp(createClientContext(config, options));
    await server.connect(transport);
    const written = text(output);
    input.end(bytes);
    await lines.ended;
    await transport.idle();
    await server.close();
    output.end();
    return written;
  }

  /** Runs the MCP server's executable. */
  async function program(bytes: string | Buffer, url = tenant.url) {
    const env = { TRACKER_API_KEY: tenant.apiKey, TRACKER_URL: url };
    const child = spawn(process.execPath, [MCP_BIN], { cwd: "/", env });
    const ended = once(child, "exit");
    child.stdin.end(bytes);
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { out, errors, code: (await ended)[0] };
  }

  /** Starts a proxy before Trackway that delays each response; without a time, the proxy never responds. */
  async function slowly(ms?: number): Promise<{ url: string; server: Server }> {
    const { hostname, port } = new URL(tenant.url);
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      sockets.add(client.on("error", () => {}));
      if (ms === undefined) return;
      const upstream = connect(Number(port), hostname).on("error", () => {});
      client.pipe(upstream);
      upstream.on("data", (bytes) => setTimeout(() => client.write(bytes), ms));
      client.on("close", () => upstream.destroy());
    }).listen(0, "127.0.0.1");
    server.on("close", () => sockets.forEach((socket) => void socket.destroy()));
    await once(server, "listening");
    const close = server.close.bind(server);
    server.close = (done) => {
      for (const socket of sockets) socket.destroy();
      return close(done);
    };
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
  }

  /** Returns the titles for which an issue exists, once per issue. */
  const made = async (wanted: string[]) => {
    const query = "query ($wanted: [String!]) { issues(filter: { title: { in: $wanted } }) { nodes { title } } }";
    const { issues } = await tenant.gql(query, { wanted });
    return (issues.nodes as { title: string }[]).map(({ title }) => title);
  };

  it("when stdin ends while Trackway works for two seconds, then exit 0", async () => {
    const { url, server } = await slowly(2_000);
    const create = callOf(3, "create_issue", { team: "ENG", title: "from a pipe" });
    const { out, errors, code } = await program(toText([...handshake("2025-06-18"), callOf(2, "whoami"), create]), url);
    server.close();
    expect([code, errors, sorted(idsOf(out))]).to.deep.equal([0, "", sorted(["first", 2, 3])]);
    expect(await made(["from a pipe"])).to.have.length(1);
  });

  it("with an error within the deadline when stdin ends and Trackway never responds, then exit 0", async () => {
    const { url, server } = await slowly();
    const { out, code } = await program(toText([...handshake("2025-06-18"), callOf(0, "whoami")]), url);
    server.close();
    expect([code, sorted(idsOf(out))]).to.deep.equal([0, sorted(["first", 0])]);
    expect(out).to.contain("did not answer within 20 s");
  });

  it("with an error when the work exceeds the deadline, and nothing later", async () => {
    const { url, server } = await slowly(500);
    const lines = [callOf(0, "whoami"), [callOf(1, "whoami"), request(2, "ping")], callOf("three", "whoami")];
    const out = await session(toText(lines), { url, callMs: 200 });
    server.close();
    expect(sorted(idsOf(out))).to.deep.equal(sorted([0, 1, 2, "three"]));
    expect(out.match(/-32001.*no result within 0.2 s/g)).to.have.length(3);
  });

  /** Line of input: ids that get a response, ids that are cancelled, and the issue that the line creates. */
  interface Line {
    value: unknown;
    ids?: unknown[];
    cancels?: unknown[];
    title?: string;
  }
  const lineOf = (kind: string, id: unknown, version: string): Line => {
    const title = `session ${crypto.randomUUID()} ä€😀`;
    const create = callOf(id, "create_issue", { team: "ENG", title });
    const second = `${id} b`;
    switch (kind) {
      case "create":
        return { value: create, ids: [id], title };
      case "batch":
        return { value: [create, request(second, "ping")], ids: [id, second], title };
      case "batch with a fault":
        return { value: [request(id, "ping"), { id: second }], ids: [id, second] };
      case "cancelled in its batch":
        return { value: [callOf(id, "whoami"), request(second, "ping"), cancelOf(id)], ids: [second], cancels: [id] };
      case "cancel":
        return { value: cancelOf(id), cancels: [id] };
      case "no message":
        return { value: { jsonrpc: "2.0", id, method: 7 }, ids: [id] };
      case "unknown method":
        return { value: request(id, "no/such"), ids: [id] };
      case "2026":
        return { value: request(id, "tools/list", META_2026), ids: [id] };
      case "notification":
        return { value: { jsonrpc: "2.0", method: "notifications/roots/list_changed" } };
      case "version":
        return { value: request(id, "initialize", (handshake(version)[0] as Message)["params"]), ids: [id] };
      default:
        return { value: callOf(id, kind), ids: [id] };
    }
  };
  const KINDS = [
    ...["create", "batch", "batch with a fault", "cancelled in its batch", "no message", "unknown method"],
    ...["2026", "notification", "version", "whoami", "list_teams"],
  ];

  /** Returns the lines that are complete before a cut. The last line needs no line feed. */
  function readOf(lines: Line[], cut: number) {
    let end = 0;
    const whole = lines.filter(({ value }) => {
      end += Buffer.byteLength(JSON.stringify(value)) + 1;
      return cut >= end - 1;
    });
    return {
      ids: whole.flatMap(({ ids = [] }) => ids),
      titles: whole.flatMap(({ title }) => title ?? []),
      after: lines.slice(whole.length).flatMap(({ title }) => title ?? []),
    };
  }

  async function expectComplete(lines: Line[], cut: number, run: (bytes: Buffer) => Promise<string>): Promise<void> {
    const bytes = Buffer.from(toText(lines.map(({ value }) => value))).subarray(0, cut);
    const out = await run(bytes);
    const read = readOf(lines, cut);
    expect(sorted(idsOf(out)), `ended after byte ${cut}`).to.deep.equal(sorted(read.ids));
    const mine = [...read.titles, ...read.after];
    if (mine.length > 0) {
      expect((await made(mine)).sort(), `issues after byte ${cut}`).to.deep.equal(read.titles.sort());
    }
  }

  it("for each complete line in a session that ends after each byte, and nothing runs twice", async () => {
    const fresh = () =>
      ["whoami", "create", "batch", "cancelled in its batch", "no message"].map((kind, at) => lineOf(kind, at, ""));
    const { length } = Buffer.from(toText(fresh().map(({ value }) => value)));
    const ends = Array.from({ length: length + 1 }, (_, cut) => cut);
    const step = Math.max(1, Math.round(length / scaleRuns(length)));
    for (const cut of ends.filter((each) => each % step === 0 || each === length)) {
      await expectComplete(fresh(), cut, (bytes) => session(bytes));
    }
  }).timeout(600_000);

  it("in generated sessions of every version, ended anywhere, in pieces of any size", async () => {
    const steps = fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.constantFrom(...VERSIONS),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (kinds, version, share) => {
          const [first, initialized] = handshake(version);
          const lines: Line[] = [{ value: first, ids: ["first"] }, { value: initialized }];
          lines.push(...kinds.map((kind, at) => lineOf(kind, at, version)));
          const { length } = Buffer.from(toText(lines.map(({ value }) => value)));
          await expectComplete(lines, Math.round(share * length), (bytes) => session(bytes));
        },
      ),
      { numRuns: scaleRuns(60) },
    );
  }).timeout(600_000);

  it("from the executable whose stdin ends after any byte", async () => {
    const fresh = (): Line[] => [
      { value: handshake("2025-03-26")[0], ids: ["first"] },
      ...["whoami", "create", "batch", "cancelled in its batch"].map((kind, at) => lineOf(kind, at, "")),
    ];
    const { length } = Buffer.from(toText(fresh().map(({ value }) => value)));
    const codes: unknown[] = [];
    for (const cut of [length, length - 1, length - 2, Math.round(length / 2)])
      await expectComplete(fresh(), cut, async (bytes) => {
        const { out, code } = await program(bytes);
        codes.push(code);
        return out;
      });
    expect(codes).to.deep.equal([0, 0, 0, 0]);
  });

  it("after a line that is no JSON, no message, an empty batch or too long, and the session continues", async () => {
    const long = `{"jsonrpc":"2.0","id":9,"method":"${"x".repeat(10 * 1024 * 1024)}"}`;
    for (const [line, code, id] of [
      ['{"jsonrpc":"2.0","id":1,', -32700, null],
      ["[]", -32600, null],
      ["7", -32600, null],
      ['{"jsonrpc":"1.0","id":5,"method":"ping"}', -32600, 5],
      ['{"jsonrpc":"2.0","id":"five","method":"ping","params":[1]}', -32600, "five"],
      [long, -32600, null],
    ] as const) {
      const [fault, pong] = parseLines(await session(`${line}\n\r\n${toText([request(7, "ping")])}`)) as Message[];
      expect([fault?.["id"], fault?.["error"].code, pong?.["id"]], line.slice(0, 60)).to.deep.equal([id, code, 7]);
    }
  });

  it("but none after a cancellation with any id, and one when the id is reused meanwhile", async () => {
    const { url, server } = await slowly(200);
    for (const id of [0, 1, "", "1", "__proto__"]) {
      const out = await session(toText([callOf(id, "whoami"), request("p", "ping"), cancelOf(id)]), { url });
      expect(idsOf(out), JSON.stringify(id)).to.deep.equal(["p"]);
      const twice = await session(toText([callOf(id, "whoami"), callOf(id, "list_teams")]), { url });
      expect(idsOf(twice)).to.deep.equal([id]);
    }
    server.close();
  });

  it("over HTTP too, in a batch with a cancelled request, and with two requests of one id", async () => {
    const send = async (body: unknown) => {
      const response = await fetch(await startSharedMcp(tenant.url), {
        method: "POST",
        headers: { authorization: `Bearer ${tenant.apiKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      });
      const answer = await response.text();
      return [response.status, answer && JSON.parse(answer)];
    };
    const [status, answers] = await send([callOf(1, "whoami"), cancelOf(1), request(2, "ping"), callOf(0, "whoami")]);
    expect([status, answers.map(({ id }: Message) => id)]).to.deep.equal([200, [2, 0]]);
    expect(await send([callOf(0, "whoami"), cancelOf(0)])).to.deep.equal([202, ""]);
    const [refused, { error }] = await send([request(1, "ping"), request(1, "ping")]);
    expect([refused, error.code, error.message]).to.deep.equal([400, -32600, "The id 1 is used twice in the batch."]);
  });
});
