// Script of `npm run sdks [-- NAME]`. Runs each real SDK against a real server and a scripted model, with two tool
// calls (one fails), a nested agent and streamed responses. Prints and checks the stored events.
import { build } from "../../scripts/build.js";
import { record } from "./record.ts";
import { SDKS } from "./sdks.ts";

const [name] = process.argv.slice(2);
const names = name === undefined ? Object.keys(SDKS) : [name];

if (names.some((each) => !Object.hasOwn(SDKS, each))) {
  console.error(`npm run sdks [-- NAME], where NAME is one of: ${Object.keys(SDKS).join(", ")}`);
  process.exitCode = 2;
} else {
  await build();
  for (const each of names) {
    const faults = await record(each);
    for (const fault of faults) console.log(`FAIL ${fault}`);
    console.log(faults.length === 0 ? `ok: ${each}` : `${faults.length} faults of ${each}`);
    if (faults.length > 0) process.exitCode = 1;
  }
}
