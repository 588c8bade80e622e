// `npm run agents -- NAME [--kill | --freeze | --wait | --fuse | --run | --proof]` runs a real agent, connected by
// `trackway connect` or by hand, with a scripted model, in each of the agent's versions. Reports the differences
// between the versions.
import { build } from "../../scripts/build.js";
import { fuse } from "./fuse.ts";
import { install, installExample } from "./install.ts";
import { PROGRAMS, type Program } from "./programs.ts";
import { prove } from "./prove.ts";
import { record } from "./record.ts";
import { runIssues } from "./run.ts";
import { survive } from "./survive.ts";
import { wait } from "./wait.ts";

const [name = "", mode] = process.argv.slice(2);
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;

if (!program || ![undefined, "--kill", "--freeze", "--wait", "--fuse", "--run", "--proof"].includes(mode)) {
  console.error(
    `npm run agents -- NAME [--kill | --freeze | --wait | --fuse | --run | --proof], where NAME is one of: ${Object.keys(PROGRAMS).join(", ")}`,
  );
  process.exitCode = 2;
} else {
  await build();
  const shapes: string[][] = [];
  for (const version of program.versions) {
    const installed = program.example ? installExample(program) : install(program, version);
    if ("reason" in installed) {
      console.log(`skipped: ${name} ${version} cannot start here (${installed.reason})`);
      continue;
    }
    const { faults, shape } = await tried(program, installed.folder);
    for (const fault of faults) console.log(`FAIL ${fault}`);
    console.log(faults.length === 0 ? `ok: ${name} ${version}` : `${faults.length} faults of ${name} ${version}`);
    if (faults.length > 0) process.exitCode = 1;
    shapes.push(shape);
  }
  const [before = [], after] = shapes;
  if (after) console.log(changesOf(before, after).join("\n") || "The versions tell the same.");
}

/** Tests one version in the requested mode. */
async function tried(of: Program, folder: string): Promise<{ faults: string[]; shape: string[] }> {
  if (mode === "--wait") return { faults: await wait(name, of, folder), shape: [] };
  if (mode === "--fuse") return { faults: await fuse(name, of, folder), shape: [] };
  if (mode === "--proof") return { faults: await prove(name, of, folder), shape: [] };
  if (mode === "--run") return { faults: await runIssues(name, of, folder), shape: [] };
  return mode ? { faults: await survive(name, folder, mode), shape: [] } : record(name, of, folder);
}

/** Returns the lines that only one of two versions has. */
function changesOf(before: readonly string[], after: readonly string[]): string[] {
  const only = (mark: string, of: readonly string[], other: readonly string[]) =>
    of.filter((line) => !other.includes(line)).map((line) => `${mark} ${line}`);
  return [...only("-", before, after), ...only("+", after, before)];
}
