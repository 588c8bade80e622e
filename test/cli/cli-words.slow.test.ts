import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Command } from "commander";
import { COMMANDS } from "../../cli/commands.ts";
import { createProgram } from "../../cli/program.ts";
import { shellOf, somebody } from "../support/cli/cli.ts";
import { someOf } from "../support/run/runs.ts";
import { freshOrganization } from "../support/server.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

/** A value that each argument takes, by its name. */
const GOOD: Record<string, string> = {
  ...{ issue: "ENG-1", other: "ENG-2", text: "Said.", title: "A title", words: "words", agent: "cursor" },
  ...{ format: "beads-jsonl", file: "none.jsonl", shell: "bash", id: "0198c0de-0000-7000-8000-000000000002" },
};
const BAD = ["", "nope", "-1", "ENG-0", randomUUID(), "x\x1b[31m", "x".repeat(70_000), "\ud800"];
/** Words that only those who call the API know, or only a library says. */
const FOREIGN =
  /\b[a-z]+[A-Z]\w*|input\.|GraphQL|[Vv]ariable|Entity|Int cannot|Too (small|big)|expected \w+|command-argument|\[object|undefined|\bnull\b|\bfirst:|\bzod\b/;
/** These go elsewhere or stay on this machine; each has tests of its own. */
const SPARED = ["login", "logout", "mcp", "doctor", "export", "help"];

const envOf = ({ url, apiKey }: { url: string; apiKey: string }) => ({
  HOME: mkdtempSync(join(tmpdir(), "trackway-words-")),
  TRACKWAY_URL: url,
  TRACKWAY_API_KEY: apiKey,
});

/** Command lines of which one value is bad. One that has commands of its own stands for them. */
function badLines(command: Command, above: string[] = []): string[][] {
  const path = [...above, command.name()];
  const args = command.registeredArguments.map((argument) => argument.name());
  if (args.length === 0 && command.commands.length > 0) return command.commands.flatMap((each) => badLines(each, path));
  const good = args.map((name) => GOOD[name] ?? name);
  const lines = BAD.flatMap((bad) => args.map((_, at) => good.map((value, place) => (place === at ? bad : value))));
  const valued = command.options.filter((option) => option.required && option.long);
  const withOption = valued.flatMap((option) => BAD.map((bad) => [...good, `${option.long}=${bad}`]));
  const rest = command.name() === "connect" ? ["--dry-run"] : [];
  const wrong = [[...good, "--nope"], [...good, "one", "more", "than", "it", "takes"], good.slice(1)];
  return [...lines, ...withOption, ...wrong].map((line) => [...path, ...rest, ...line]);
}

describe("What the command line says of what is wrong", function () {
  this.timeout(240_000);
  let space: Workspace;
  before(async () => {
    space = await freshWorkspace();
    await space.issue();
    await space.issue();
  });

  const names = Object.values(COMMANDS).flatMap((commands) => Object.keys(commands));
  for (const name of names.filter((one) => !SPARED.includes(one)))
    it(`is a sentence with what helps, in its own words: ${name}`, async () => {
      const env = envOf(space);
      let refused = 0;
      const lines = (await createProgram({ only: name })).commands
        .filter((command) => command.name() === name)
        .flatMap((command) => badLines(command));
      // One that each command refuses is always among them.
      for (const line of [...lines.filter((each) => each.includes("--nope")), ...someOf(lines)]) {
        const { code, stderr } = await somebody().run(line, { env });
        if (code === 0) continue;
        refused += 1;
        const said = `${line.join(" ").slice(0, 200)}: ${stderr.slice(0, 500)}`;
        expect(stderr, said).to.match(/^(trackway: ["<A-Z-][^\n]*[.!?)…] try: \S[^\n]*\n)+$/);
        expect(code, said).to.be.oneOf([2, 3, 4, 5]);
        const own = line
          .filter((value) => value.length > 3)
          .reduce((text, value) => text.replaceAll(value.slice(0, 60), ""), stderr);
        expect(own, said).not.to.match(FOREIGN);
      }
      expect(refused).to.be.greaterThan(0);
    });

  it("names what there is about a circle, which goes with it", async () => {
    const env = envOf(space);
    const says = (...args: string[]) => somebody().run(args, { env });
    const [one, other] = [(await space.issue()).identifier, (await space.issue()).identifier];
    expect((await says("update", one, "--blocked-by", other)).code).to.equal(0);
    const { code, stderr } = await says("update", other, "--blocked-by", one);
    expect([code, stderr]).to.deep.equal([
      4,
      `trackway: They would block each other in a circle: ${one} → ${other} → ${one}. try: trackway unlink ISSUE OTHER, for two of these\n`,
    ]);
    expect((await says("unlink", other, one)).stdout).to.equal(`Unlinked ${other} and ${one}: blocks.\n`);
    expect((await says("unlink", other, one)).code).to.equal(3);
    expect((await says("update", other, "--blocked-by", one)).code).to.equal(0);
    expect((await says("unlink", other, one, "--json")).stdout).to.equal(
      `${JSON.stringify({ issue: other, other: one, removed: ["blocks"] })}\n`,
    );
  });

  it("ends with 3 when an option names an issue that does not exist, and with 2 when its value is wrong", async () => {
    const codeOf = async (...args: string[]) =>
      (await somebody().run(["create", "x", "--team", "ENG", ...args], { env: envOf(space) })).code;
    expect([await codeOf("--parent", "ENG-99999"), await codeOf("--due", "nope")]).to.deep.equal([3, 2]);
  });

  it("names what makes a team where there is none, to paste", async () => {
    const tenant = await freshOrganization();
    const env = envOf(tenant);
    const { code, stderr } = await somebody().run(["create", "x"], { env });
    const [, line = ""] = /^trackway: There is no team yet\. try: trackway (.*)\n$/.exec(stderr) ?? [];
    expect([code, line]).to.deep.equal([2, "team create Engineering --key ENG"]);
    expect((await somebody().run(line.split(" "), { env })).code).to.equal(0);
    expect((await somebody().run(["create", "x"], { env })).stdout).to.match(/^Created ENG-1 /);
  });
});

describe("A proxy whose server restarts", function () {
  this.timeout(60_000);

  it("is waited out, and what is sent again is done once", async () => {
    const space = await freshWorkspace();
    // Each second request reaches the server, and its answer is lost; the first of two is not passed on at all.
    let asked = 0;
    const proxy = createServer((incoming, answer) => {
      asked += 1;
      const at = asked % 3;
      if (at === 1) return void answer.writeHead(502, { "Content-Type": "text/html" }).end("<h1>Bad Gateway</h1>");
      const { method, url, headers } = incoming;
      const passed = request(space.url + url, { method, headers }, (reply) => {
        if (at === 2) reply.resume().on("end", () => answer.writeHead(504).end());
        else reply.pipe(answer.writeHead(Number(reply.statusCode), reply.headers));
      });
      incoming.pipe(passed);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    try {
      const { says } = shellOf(url, space.apiKey);
      expect(await says("create", "Made once", "--team", "ENG")).to.match(/^Created ENG-1 /);
      expect(asked).to.equal(6);
      const { issues } = await space.gql("{ issues { nodes { title } } }");
      expect(issues.nodes).to.deep.equal([{ title: "Made once" }]);
    } finally {
      proxy.close();
    }
  });

  it("is named where it does not come back", async () => {
    const proxy = createServer((_, answer) => answer.writeHead(502).end("<h1>Bad Gateway</h1>"));
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { code, stderr } = await somebody().run(["whoami"], {
      env: envOf({ url, apiKey: `trk_api_${"0".repeat(40)}` }),
    });
    proxy.close();
    expect([code, stderr]).to.deep.equal([
      1,
      `trackway: ${url} answered 502: a proxy is there, and no server behind it. try: again when the server is up\n`,
    ]);
  });
});
