import { execFile, execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { createCommandLineParser } from "../../cli/program.ts";
import { type CliUser, createCliUser } from "../support/cli/cli.ts";
import { MUTATION_SAMPLES } from "../support/graphql/mutations.ts";
import { callRestApi } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

/** Reads the examples from every command's help. */
async function examples(): Promise<string[]> {
  const { commands } = await createCommandLineParser();
  const paths = commands.flatMap((command) => [
    [command.name()],
    ...command.commands.map((below) => [command.name(), below.name()]),
  ]);
  const helps: string[] = [];
  for (const path of paths) helps.push((await createCliUser().run([...path, "--help"])).stdout);
  const lines = helps.flatMap((help) => help.split(/Examples?:\n/)[1]?.split("\n") ?? []);
  const found = lines.filter((line) => /^ {2}\S/.test(line) && line.includes("trackway "));
  return [...new Set(found.map((line) => line.trim()))];
}

type Env = Record<string, string>;

/** Runs a line with pipes in a shell. */
const inShell = (line: string, cwd: string, env: Env) =>
  promisify(execFile)("sh", ["-c", line], { cwd, env }).then(
    () => ({ code: 0, stderr: "" }),
    ({ code, stderr }) => ({ code, stderr }),
  );

/** Runs a line without pipes in this process. Relative paths are in the home folder. */
const here = (line: string, { path, has, run }: CliUser, env: Env) => {
  const [, ...words] = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ""));
  const isFile = (word: string) => has(word) || /^[a-z]+\.(csv|jsonl)$/.test(word);
  return run(
    words.map((word) => (isFile(word) ? path(word) : word)),
    { env },
  );
};

/** Reads the entries of the inbox. */
const entries = async (space: Workspace): Promise<string[]> =>
  ((await MUTATION_SAMPLES["inboxEntryUpdate"]?.(space)) as { ids: string[] } | undefined)?.ids ?? [];

describe("every example in the help of a command", () => {
  // Some lines need processes of their own, and the machine may be busy.

  it("runs in a fresh organization", async () => {
    const space = await createWorkspace();
    const person = createCliUser();
    const programs = person.path("bin");
    mkdirSync(programs);
    const program = (name: string, line: string) => {
      writeFileSync(`${programs}/${name}`, `#!/bin/sh\n${line}\n`);
      chmodSync(`${programs}/${name}`, 0o755);
    };
    program("trackway", `exec '${process.execPath}' '${resolve("cli/bin.js")}' "$@"`);
    program("git", "echo ' parser.ts | 2 +-'");
    const [agents, repository] = [person.path("agents"), person.path("repository")];
    mkdirSync(agents);
    for (const [name, line] of [
      ["trackway", `exec '${process.execPath}' '${resolve("cli/bin.js")}' "$@"`],
      ["codex", "cat >/dev/null; git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m Work"],
    ] as const)
      program(`../agents/${name}`, line);
    execFileSync("git", ["init", "-q", repository]);
    const author = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
    mkdirSync(`${repository}/src`);
    writeFileSync(`${repository}/src/parser.ts`, "one();\n".repeat(60));
    execFileSync("git", ["add", "-A"], { cwd: repository });
    execFileSync("git", [...author, "commit", "-q", "-m", "Begin"], { cwd: repository });
    for (const name of ["report.md", "summary.md"]) writeFileSync(person.path(name), "All of it.\n");
    writeFileSync(person.path("key.txt"), space.apiKey);
    const files = { "issues.csv": "linear.csv", "issues.json": "github.json", "export.csv": "jira.csv" };
    const lay = () => {
      for (const [name, from] of Object.entries(files)) copyFileSync(`test/fixtures/import/${from}`, person.path(name));
    };
    const session = "0198c0de-0000-7000-8000-000000000002";
    const event = { event_id: randomUUID(), session_id: session, primitive_name: "codex", args: "Hello", result: "Hi" };
    const headers = { "x-api-key": space.ingestKey };
    await callRestApi(space.url, "POST", "/api/v1/capture-events", { headers, body: { events: [event] } });
    const env = {
      ...{ HOME: person.home, PATH: `${programs}:${dirname(process.execPath)}:/usr/bin:/bin` },
      ...{ TRACKWAY_URL: space.url, TRACKWAY_PASSWORD: space.password, TRACKWAY_TEAM: "ENG", BROWSER: "true" },
      ...{ TRACKWAY_API_KEY: space.apiKey, TRACKWAY_INGEST_KEY: space.ingestKey },
    };
    await space.does("issueLabelCreate", { input: { name: "bug" } });
    await space.does("issueLabelCreate", { input: { name: "regression", teamId: space.teamId } });
    const { project } = await space.does(
      "projectCreate",
      { input: { name: "Launch", teamIds: [space.teamId] } },
      "project { id }",
    );
    await space.does("projectMilestoneCreate", { input: { name: "Alpha", projectId: project.id } });
    const [startsAt, endsAt] = [-1, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString());
    await space.does("cycleCreate", { input: { teamId: space.teamId, startsAt, endsAt } });
    const found = await examples();
    expect(found.length).to.be.greaterThan(25);
    const failed: string[] = [];
    for (const example of found) {
      lay();
      const { id, identifier } = await space.issue({ title: "login at midnight" });
      const other = await space.issue();
      await space.does("issueClaim", { input: { id } });
      if (example.includes("unlink")) {
        const input = { type: "blocks", issueId: other.id, relatedIssueId: id };
        await space.does("issueRelationCreate", { input });
      }
      if (example.includes("--edit last")) await space.does("commentCreate", { input: { issueId: id, body: "Hm." } });
      if (example.includes("reopen")) await space.does("issueComplete", { id });
      const [entry] = example.includes("inbox ") ? await entries(space) : [];
      const line = example
        .replace(/^(trackway inbox \w.* )[0-9a-f-]{36}$/, `$1${entry}`)
        .replaceAll(/ENG-(12|9)\b/g, (_, number) => (number === "12" ? identifier : other.identifier))
        .replace("https://trackway.example.com --email ada@example.com", `${space.url} --email ${space.email}`)
        .replace("--follow", "--follow --for 1")
        .replace(/^trackway session delete [0-9a-f-]{36}$/, "$& --yes")
        .replace("~/backup/claude", person.path("bin"))
        .replace("trackway blame src", `trackway blame ${repository}/src`)
        // The rest of the line is for another shell.
        .replace(/^eval "\$\((.*)\)".*|^(trackway completion \w+) \|.*/, "$1$2");
      const { code, stderr } = await (line.startsWith("trackway run ")
        ? inShell(line, repository, { ...env, PATH: `${agents}:${dirname(process.execPath)}:/usr/bin:/bin` })
        : /[|<>]/.test(line)
          ? inShell(line, person.home, env)
          : here(line, person, line.startsWith("trackway blame ") ? { ...env, PATH: "/usr/bin:/bin" } : env));
      if (code !== 0) failed.push(`${line}: ${stderr}`);
    }
    expect(failed).to.deep.equal([]);
  });
});
