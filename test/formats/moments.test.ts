import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Command, Option } from "commander";
import fc from "fast-check";
import { parseImportDay as importedDay, parseImportTime as importedMoment } from "../../cli/import/dates.ts";
import { createCommandLineParser } from "../../cli/program.ts";
import { parseAbsoluteTime, parseDay, parseMoment } from "../../formats/moments.ts";
import { readDate, readDateTime, readDuration } from "../../server/graphql/scalars.ts";
import { createAgentShell } from "../support/cli/cli.ts";
import { closeMcp, connectSharedClient } from "../support/mcp.ts";
import { scaleRuns } from "../support/run/runs.ts";
import { createWorkspace } from "../support/workspace.ts";

/** Texts that are no valid time. JavaScript's own parser accepts many of these texts. */
const WRONG = [
  ..."45,7,1e3,0,-1,2026,202601,20260131,week 3,July,2026-1-31,2026-01,2026-02-30,2026-02-29,2026-13-01,2026-00-10".split(
    ",",
  ),
  ..."2026-01-32,2026-04-31,0000-01-01,10000-01-01,+002026-01-31,-2026-01-31,2026-01-31T24:00Z,24:00".split(","),
  ..."2026-01-31T09:00,2026-01-31T09:00:00,2026-01-31T09:60Z,2026-01-31T09:00:60Z,2026-01-31T09:00+24:00".split(","),
  ..."0001-01-01T00:00:00+01:00,9999-12-31T23:59:59-01:00,2026-02-30T09:00:00Z,2026-01-31T09:00:00Zx".split(","),
  ..."P,PT,P1,P7DT,-P,P-7D,P1.5D,7days,7 d,45s,1y,d,P9999Y,9999999d,now,tomorrow,Today,null,NaN".split(","),
  ...["", " ", "\n", "2026-01-31 ", " 2026-01-31", "2026-01-31\n", "٢٠٢٦-٠١-٣١", "2026-01-31T09:00:00Z\0", "7d\u200b"],
];
const NOW = new Date("2026-03-31T12:30:00.500Z");

/** Returns the options of all commands that accept a time, with the name of the command. */
async function timeOptions(): Promise<{ name: string; option: Option }[]> {
  const within = (command: Command): Command[] => [command, ...command.commands.flatMap(within)];
  return within(await createCommandLineParser()).flatMap((command) =>
    command.options
      .filter(({ flags }) => /<(time|date)>/.test(flags))
      .map((option) => ({ name: `${command.name()} ${option.long}`, option })),
  );
}

describe("a time as text", () => {
  it("is accepted in the documented forms", () => {
    const back = (text: string) => parseMoment(text, NOW, "back")?.toISOString();
    const ahead = (text: string) => parseMoment(text, NOW, "ahead")?.toISOString();
    expect(back("2026-01-31")).to.equal("2026-01-31T00:00:00.000Z");
    for (const text of ["2026-01-31T09:30:00Z", "2026-01-31T11:30+02:00", "2026-01-31 06:00:00.0-0330"])
      expect(back(text)).to.equal("2026-01-31T09:30:00.000Z");
    expect(back("2024-02-29T00:00:00.123456789Z")).to.equal("2024-02-29T00:00:00.123Z");
    expect(back("45m")).to.equal("2026-03-31T11:45:00.500Z");
    for (const text of ["3h", "PT3H", "-PT3H"]) expect(back(text)).to.equal("2026-03-31T09:30:00.500Z");
    for (const text of ["2w", "14d", "P2W", "-P2W", "P14D"]) expect(back(text)).to.equal("2026-03-17T12:30:00.500Z");
    expect(ahead("7d")).to.equal("2026-04-07T12:30:00.500Z");
    expect(ahead("-P7D")).to.equal("2026-03-24T12:30:00.500Z");
    expect(back("today")).to.equal("2026-03-31T00:00:00.000Z");
    expect(back("yesterday")).to.equal("2026-03-30T00:00:00.000Z");
    expect(parseDay("9999-12-31")?.getTime()).to.equal(253402214400000);
    expect(parseDay("0001-01-01")?.getTime()).to.equal(-62135596800000);
  });

  it("is parsed to the same time as by JavaScript", () => {
    const digits = fc.integer({ min: 0, max: 99 }).map((each) => String(each).padStart(2, "0"));
    const texts = fc
      .tuple(
        fc.integer({ min: 0, max: 10_050 }),
        digits,
        digits,
        digits,
        digits,
        fc.constantFrom("Z", "+02:00", "-11:30", ""),
      )
      .map(
        ([year, ...[month, day, hour, minute, zone]]) =>
          `${String(year).padStart(4, "0")}-${month}-${day}T${hour}:${minute}${zone}`,
      );
    const check = (text: string) => {
      const at = parseAbsoluteTime(text);
      if (at) expect(at.getTime(), text).to.equal(Date.parse(text));
      const day = text.slice(0, 10);
      const isDay = new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) === day && !day.startsWith("0000");
      expect(parseDay(day) !== undefined, day).to.equal(isDay);
    };
    fc.assert(fc.property(texts, check), { numRuns: scaleRuns(20_000) });
  });

  it("is refused by every parser in any other form", () => {
    for (const text of WRONG) {
      expect(parseMoment(text, NOW, "back"), text).to.equal(undefined);
      expect(() => readDateTime(text), text).to.throw(/DateTime must be/);
      if (!/^2026-01-31/.test(text)) expect(() => readDate(text), text).to.throw(/TimelessDate must be/);
      if (text !== "P9999Y") expect(readDuration(text), text).to.equal(undefined);
    }
    // Files of other programs contain local times, to which an option of the import assigns an offset.
    for (const text of WRONG.filter((each) => each.trim() && !/^2026-01-31[ \n]?|^ /.test(each))) {
      for (const read of [importedMoment, importedDay])
        expect(() => read(text, "Created", { offset: 0, dates: undefined }), text).to.throw(/is not a date/);
    }
  });

  it("in an imported file may omit the hour, and must be in the years 1 to 9999", () => {
    const clock = { offset: 0, dates: "dmy" } as const;
    for (const text of [
      "2026-06-05",
      "5/6/26",
      "05.06.2026",
      "5-Jun-2026",
      "5/Jun/26 12:00 AM",
      "2026-06-04T22:00:00Z",
    ])
      expect(importedDay(text, "Due Date", clock), text).to.equal("2026-06-05");
    for (const text of ["2026-06-05", "5/6/26", "5 June 2026", "2026-06-05 00:00"])
      expect(importedMoment(text, "Created", clock), text).to.equal("2026-06-05T00:00:00.000Z");
    expect(() => importedDay("9999-12-31T13:00:00Z", "Due Date", clock)).to.throw("write dates like 2026-01-31");
    expect(() => importedDay("31/02/2020", "Due Date", clock)).to.throw(/is not a date; write dates like 2026-01-31$/);
    expect(() => importedMoment("0001-01-01", "Created", { ...clock, offset: 3_600_000 })).to.throw(/is not a date/);
  });

  it("is parsed the same by every option of the command line", async () => {
    const options = await timeOptions();
    expect(options.map(({ name }) => name)).to.include.members(["delete --until", "list --closed", "usage --since"]);
    for (const { name, option } of options) {
      for (const text of WRONG) {
        const read = () => option.parseArg?.(text, undefined);
        expect(read, `${name} ${JSON.stringify(text)}`).to.throw(/^Use .*(7d|2026-01-31)/);
      }
    }
  });

  it("in another form ends a command with exit code 2 before any request", async () => {
    let requests = 0;
    const server = createServer((_, reply) => {
      requests += 1;
      reply.end("{}");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const shell = createAgentShell(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, "trk_api_x");
    for (const args of [
      ["session", "delete", "--until", "45", "--yes"],
      ["session", "delete", "--until", "45", "--dry-run"],
      ["list", "--closed", "2026-02-30"],
      ["import", "sessions", "--since", "week 3"],
      ["create", "x", "--due", " "],
    ]) {
      const { code, stderr } = await shell.run(args);
      const [option = "", value = ""] = args
        .slice(-3)
        .filter((each) => !/^--(yes|dry-run)$/.test(each))
        .slice(-2);
      expect([code, requests], stderr).to.deep.equal([2, 0]);
      expect(stderr).to.contain(`${option} cannot be "${value}". Use `).and.to.contain("2026-01-31");
    }
    server.close();
  });
});

const isTime = ([name, { description = "" }]: [string, { description?: string }]): boolean =>
  /ISO date/.test(description) || /^(since|until|starts|ends|due|start|target|.*_since)$/.test(name);

describe("a time as argument of an MCP tool", () => {
  after(closeMcp);

  it("is refused with name, value and valid forms, by every such argument", async () => {
    const mcp = await connectSharedClient(await createWorkspace());
    const { tools } = await mcp.client.listTools();
    let seen = 0;
    for (const { name: tool, inputSchema } of tools) {
      const properties = Object.entries(inputSchema.properties ?? {}) as [string, { description?: string }][];
      for (const [name] of properties.filter(isTime)) {
        seen += 1;
        for (const text of ["45", "2026-02-30"]) {
          const given = Object.fromEntries((inputSchema.required ?? []).map((each) => [each, "ENG"]));
          const { isError, text: words } = await mcp.call(tool, { ...given, [name]: text });
          expect(isError, `${tool} ${name}: ${words}`).to.equal(true);
          expect(words, `${tool} ${name}`).to.contain(`${name} cannot be "${text}"`).and.to.contain("P7D");
        }
      }
    }
    expect(seen).to.be.greaterThan(5);
  });
});

/** Folders and files that receive texts from outside. */
const EDGES = [
  ...["cli", "mcp", "formats", "server/admin", "server/control", "server/graphql", "server/oauth"],
  ...["web/pages/issues/filter", "web/pages/sessions/url-filter.ts", "server/resources/issue/search"],
];

/** Files that read times with JavaScript's own parser, and the source of the texts. */
const KNOWN: Readonly<Record<string, string>> = {
  "formats/time.ts": "the date of a Retry-After header, whose form HTTP defines",
  "cli/blame/record.ts": "the server's responses",
  "cli/commands/recorded/usage.ts": "the server's responses",
  "cli/commands/data/import-sessions.ts": "what the parser wrote",
  "cli/import/dates.ts": "what the parser wrote",
  "cli/sessions/events.ts": "the server's responses",
  "cli/work/caller.ts": "the command line's own file",
  "server/control/endpoints/keys.ts": "a field that the parser has checked",
};

describe("the source code", () => {
  it("parses times from outside only with the shared parser", () => {
    const files = EDGES.flatMap((edge) =>
      edge.endsWith(".ts")
        ? [edge]
        : readdirSync(edge, { recursive: true, encoding: "utf8" }).map((name) => `${edge}/${name}`),
    ).filter((name) => /\.tsx?$/.test(name));
    // `new Date` with a number (the current time, a sum, a constant) does not parse text.
    const reads =
      /Date\.parse\(|new Date\((?!\)|Date\.now|now|getMonotonicEpochMs|0\)|from\b|\w+\.getTime|midnight|\(|Math\.)/;
    const found = files.filter((name) => reads.test(readFileSync(name, "utf8")));
    expect(found).to.have.members(Object.keys(KNOWN));
  });
});
