// `npm run agents -- NAME [--kill | --freeze]`: a real program, connected by `trackway connect`, against a scripted model.
import { build } from "../../scripts/build.js";
import { install } from "./install.ts";
import { PROGRAMS } from "./programs.ts";
import { record } from "./record.ts";
import { survive } from "./survive.ts";

const [name = "", mode] = process.argv.slice(2);
const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;

if (!program || ![undefined, "--kill", "--freeze"].includes(mode)) {
  console.error(
    `npm run agents -- NAME [--kill | --freeze], where NAME is one of: ${Object.keys(PROGRAMS).join(", ")}`,
  );
  process.exitCode = 2;
} else {
  await build();
  const installed = install(program);
  if ("reason" in installed) console.log(`skipped: ${name} ${program.version} cannot start here (${installed.reason})`);
  else {
    const faults = mode ? await survive(name, installed.folder, mode) : await record(name, installed.folder);
    for (const fault of faults) console.log(`FAIL ${fault}`);
    console.log(faults.length === 0 ? `ok: ${name} ${program.version}` : `${faults.length} faults`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  }
}
