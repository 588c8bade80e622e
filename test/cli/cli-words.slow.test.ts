import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Command } from "commander";
import { COMMAND_LOADERS_BY_HEADING } from "../../cli/commands.ts";
import { createCommandLineParser } from "../../cli/program.ts";
import { createAgentShell, createCliUser } from "../support/cli/cli.ts";
import { sample } from "../support/run/runs.ts";
import { createOrganization } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** A valid value for each argument, by name. */
const GOOD: Record<string, string> = {
  ...{ issue: "ENG-1", other: "ENG-2", text: "Said.", title: "A title", words: "words", agent: "cursor" },
  ...{ format: "beads-jsonl", file: "none.jsonl", shell: "bash", id: "0198c0de-0000-7000-8000-000000000002" },
};
const BAD = ["", "nope", "-1", "ENG-0", randomUUID(), "x\x1b[31m", "x".repeat(70_000), "\ud800"];
/** Words that only users of the API know, or that come from a library. */
const FOREIGN =
  /\b[a-z]+[A-Z]\w*|input\.|GraphQL|[Vv]ariable|Entity|Int cannot|Too (small|big)|expected \w+|command-argument|\[object|undefined|\bnull\b|\bfirst:|\bzod\b/;
/** Commands that use other servers or only this machine; each has separate tests. */
const SPARED = ["login", "logout", "mcp", "doctor", "export", "help"];

const envOf = ({ url, apiKey }: { url: string; apiKey: string }) => ({
  HOME: mkdtempSync(join(tmpdir(), "trackway-words-")),
  TRACKWAY_URL: url,
  TRACKWAY_API_KEY: apiKey,
});

/**
 * Builds command lines with one invalid value. For a command with subcommands, builds the lines of each subcommand.
 */
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

describe("errors of the command line", () => {
  let space: Workspace;
  before(async () => {
    space = await createWorkspace();
    await space.issue();
    await space.issue();
  });

  const names = Object.values(COMMAND_LOADERS_BY_HEADING).flatMap((commands) => Object.keys(commands));
  for (const name of names.filter((one) => !SPARED.includes(one)))
    it(`are a sentence with a hint, without words of the API: ${name}`, async () => {
      const env = envOf(space);
      let refused = 0;
      const lines = (await createCommandLineParser({ only: name })).commands
        .filter((command) => command.name() === name)
        .flatMap((command) => badLines(command));
      // The lines always include an option that every command refuses.
      for (const line of [...lines.filter((each) => each.includes("--nope")), ...sample(lines)]) {
        const { code, stderr } = await createCliUser().run(line, { env });
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

  it("name the issues of a cycle of blockers and the command that removes it", async () => {
    const env = envOf(space);
    const says = (...args: string[]) => createCliUser().run(args, { env });
    const [one, other] = [(await space.issue()).identifier, (await space.issue()).identifier];
    expect((await says("update", one, "--blocked-by", other)).code).to.equal(0);
    const { code, stderr } = await says("update", other, "--blocked-by", one);
    expect([code, stderr]).to.deep.equal([
      4,
      `trackway: They would block each other in a circle: ${one} → ${other} → ${one}. try: trackway unlink ISSUE OTHER, for two of these issues\n`,
    ]);
    expect((await says("unlink", other, one)).stdout).to.equal(`Unlinked ${other} and ${one}: blocks.\n`);
    expect((await says("unlink", other, one)).code).to.equal(3);
    expect((await says("update", other, "--blocked-by", one)).code).to.equal(0);
    expect((await says("unlink", other, one, "--json")).stdout).to.equal(
      `${JSON.stringify({ issue: other, other: one, removed: ["blocks"] })}\n`,
    );
  });

  it("exit with 3 for an option with an unknown issue, and with 2 for an invalid value", async () => {
    const codeOf = async (...args: string[]) =>
      (await createCliUser().run(["create", "x", "--team", "ENG", ...args], { env: envOf(space) })).code;
    expect([await codeOf("--parent", "ENG-99999"), await codeOf("--due", "nope")]).to.deep.equal([3, 2]);
  });

  it("contain the command that creates a team when none exists", async () => {
    const tenant = await createOrganization();
    const env = envOf(tenant);
    const { code, stderr } = await createCliUser().run(["create", "x"], { env });
    const [, line = ""] = /^trackway: There is no team yet\. try: trackway (.*)\n$/.exec(stderr) ?? [];
    expect([code, line]).to.deep.equal([2, "team create Engineering --key ENG"]);
    expect((await createCliUser().run(line.split(" "), { env })).code).to.equal(0);
    expect((await createCliUser().run(["create", "x"], { env })).stdout).to.match(/^Created ENG-1 /);
  });
});

describe("the command line behind a proxy whose server restarts", () => {
  it("waits for the server, and a repeated request takes effect once", async () => {
    const space = await createWorkspace();
    // In each group of three requests, the proxy refuses the first, loses the response to the second, and passes the third on.
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
      const { says } = createAgentShell(url, space.apiKey);
      expect(await says("create", "Made once", "--team", "ENG")).to.match(/^Created ENG-1 /);
      expect(asked).to.equal(6);
      const { issues } = await space.gql("{ issues { nodes { title } } }");
      expect(issues.nodes).to.deep.equal([{ title: "Made once" }]);
    } finally {
      proxy.close();
    }
  });

  it("names the proxy when the server does not return", async () => {
    const proxy = createServer((_, answer) => answer.writeHead(502).end("<h1>Bad Gateway</h1>"));
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const { code, stderr } = await createCliUser().run(["whoami"], {
      env: envOf({ url, apiKey: `trk_api_${"0".repeat(40)}` }),
    });
    proxy.close();
    expect([code, stderr]).to.deep.equal([
      1,
      `trackway: ${url} responded with 502: the proxy cannot reach the server. try: run the command again when the server is up\n`,
    ]);
  });
});
