import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { Command } from "commander";
import { whoIs } from "../api/graphql.ts";
import { loginOf } from "../credentials/access.ts";
import { exportCsv } from "../export/csv.ts";
import { exportLines } from "../export/lines.ts";
import { EXIT, Failure } from "../failure.ts";
import { placesOf } from "../files/places.ts";
import { startProgress } from "../import/progress.ts";
import { tell } from "../output/print.ts";

interface Options {
  csv?: true;
  output?: string;
}

const AFTER = `
Each line is a row that "trackway import jsonl" takes: into an empty server it makes an equal export. What is in the trash,
sessions, leases and keys are no part of it: for those see the backup in docs/operations.md. docs/import.md has every line's shape.
Examples:
  trackway export > issues.jsonl
  trackway export --csv --output issues.csv
`;

/** `trackway export`: writes out the issues of the organization. */
export const exportCommand = (): Command =>
  new Command("export")
    .description("write out all issues, with their comments and relations, as JSON lines or as CSV")
    .option("--csv", "the issues alone, as CSV with the columns of Linear's export")
    .option("-o, --output <file>", "into a file, which is there once it is whole")
    .addHelpText("after", AFTER)
    .action(run);

async function run({ csv, output }: Options): Promise<void> {
  const caller = await loginOf(placesOf());
  await whoIs(caller);
  const lines = csv ? withEnds(exportCsv(caller), "\r\n") : withEnds(texts(exportLines(caller)), "\n");
  if (!output) return void (await write(lines, process.stdout));
  const part = `${output}.part`;
  const stream = createWriteStream(part);
  try {
    await once(stream, "open").catch((error) => {
      throw new Failure(`${part} cannot be written (${error.code}).`, { exit: EXIT.usage, cure: "another path" });
    });
    const count = await write(lines, stream);
    stream.end();
    await finished(stream);
    await rename(part, output);
    tell(`${output}: ${count} lines.`);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

async function* texts(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield JSON.stringify(line);
}

async function* withEnds(lines: AsyncIterable<string>, end: string): AsyncGenerator<string> {
  for await (const line of lines) yield line + end;
}

/** Writes no faster than is read. Answers how many lines it wrote. */
async function write(lines: AsyncIterable<string>, stream: Writable): Promise<number> {
  const bar = startProgress("Exporting", process.stderr.isTTY && stream !== process.stdout);
  let count = 0;
  try {
    for await (const line of lines) {
      count += 1;
      if (count % 1_000 === 0) bar.at(0, `${count} lines`);
      if (!stream.write(line)) await once(stream, "drain");
    }
  } finally {
    bar.end();
  }
  return count;
}
