import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, type Bench, claim, makeIssue, sessionsOf, setUp } from "./bench.ts";
import { say } from "./models/serve.ts";
import type { Program } from "./programs.ts";

/** Commands that an agent runs, one per step, and the expected verdict. */
type Row = readonly [commands: readonly string[], verdict: string];

const EDIT = "echo x > work.txt";
const BREAK = "echo broken > work.txt";
const ROWS: readonly Row[] = [
  [[EDIT, "npm test"], "verified"],
  [[BREAK, "npm test", EDIT, "npm test"], "verified"],
  [[EDIT, "npm test && git add --all && git commit --quiet --allow-empty --message Work"], "verified"],
  [[EDIT, "npm test", "git status", "cat work.txt | head -5"], "verified"],
  [[BREAK, "npm test"], "contradicted"],
  [[BREAK, "npm test || true"], "unproven"],
  [[BREAK, "npm test; true"], "unproven"],
  [[BREAK, "npm test | tail -5"], "unproven"],
  [[EDIT, "echo npm test"], "unproven"],
  [[EDIT, "bash -c 'npm test'"], "unproven"],
  [[EDIT, "npm test", BREAK], "unproven"],
  [
    [BREAK, "mkdir -p ../other && cp package.json ../other && cd ../other && echo x > work.txt && npm test"],
    "unproven",
  ],
];

/**
 * Makes a real agent with a scripted model run the commands of a dozen honest and dishonest rows. Completes an issue
 * with the session of each row. Returns the rows with a wrong verdict.
 */
export async function prove(name: string, program: Program, bin: string): Promise<string[]> {
  const bench = await setUp(program, bin);
  try {
    bench.trackway(["connect", name, "--yes", "--no-probe"]);
    repository(join(bench.home, "..", "project"));
    const { teams } = await ask(bench, "{ teams { nodes { id } } }");
    const teamId: string = teams.nodes[0].id;
    await ask(
      bench,
      `mutation { teamUpdate(id: "${teamId}", input: { proof: { commands: ["npm test"] } }) { success } }`,
    );
    const wrong: string[] = [];
    for (const [commands, wanted] of ROWS) {
      say([...commands.map((shell) => [{ shell }]), [{ say: "Done." }]]);
      await bench.turn();
      const { verdict, reason } = await verdictOf(bench);
      console.log(`${verdict === wanted ? "ok  " : "FAIL"} ${verdict}: ${commands.join(" ⏎ ")} (${reason})`);
      if (verdict !== wanted) wrong.push(`${commands.join(" ⏎ ")} is ${verdict}, not ${wanted}`);
    }
    return wrong;
  } finally {
    await bench.close();
  }
}

function repository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  const scripts = { test: 'test "$(cat work.txt)" = x' };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "work", scripts }));
  for (const args of [
    ["init", "-q"],
    ["config", "user.name", "a"],
    ["config", "user.email", "a@example.com"],
  ])
    execFileSync("git", args, { cwd: folder });
}

/** Claims an issue for the latest session and completes the issue. Returns the verdict. */
async function verdictOf(bench: Bench): Promise<{ verdict: string; reason: string }> {
  const [latest] = await sessionsOf(bench);
  const id = await makeIssue(bench, "Prove it");
  await claim(bench, id, { sessionId: latest?.id });
  return (await ask(bench, `mutation { issueComplete(id: "${id}") { proof { verdict reason } } }`)).issueComplete.proof;
}
