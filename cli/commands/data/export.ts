import { once } from "node:events";
import { Command } from "commander";
import { writeWholeFile } from "../../../system/whole-file.ts";
import { readViewer } from "../../api/graphql.ts";
import { requireLogin } from "../../credentials/access.ts";
import { exportCsv } from "../../export/csv.ts";
import { exportLines } from "../../export/lines.ts";
import { readUserEnvironment } from "../../files/places.ts";
import { toWriteFailure } from "../../files/whole-file.ts";
import { startProgress } from "../../import/progress.ts";
import { printToStderr } from "../../output/print.ts";

interface Options {
  csv?: true;
  output?: string;
}

const AFTER = `
Each line is a row for "trackway import jsonl". An import into an empty server restores the same issues. The export does not
contain the trash, sessions, leases or keys. To keep these, use the backup in docs/operations.md. docs/import.md describes the lines.
Examples:
  trackway export > issues.jsonl
  trackway export --csv --output issues.csv
`;

/** `trackway export`: writes the issues of the organization as JSON lines or CSV. */
export const createExportCommand = (): Command =>
  new Command("export")
    .description("export all issues with comments and relations, as JSON lines or CSV")
    .option("--csv", "export only issues, as CSV with the columns of Linear's export")
    .option(
      "-o, --output <file>",
      "write to a file, which appears when it is complete; follows links, and can write to pipes and devices",
    )
    .addHelpText("after", AFTER)
    .action(run);

async function run({ csv, output }: Options): Promise<void> {
  const caller = await requireLogin(readUserEnvironment());
  await readViewer(caller);
  const lines = csv ? withEnds(exportCsv(caller), "\r\n") : withEnds(texts(exportLines(caller)), "\n");
  if (!output) return void (await write(lines, process.stdout));
  const count = await writeWholeFile(output, (stream) => write(lines, stream), { namedBy: "user" }).catch((error) => {
    throw toWriteFailure(output, error);
  });
  printToStderr(`${output}: ${count} lines.`);
}

async function* texts(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield JSON.stringify(line);
}

async function* withEnds(lines: AsyncIterable<string>, end: string): AsyncGenerator<string> {
  for await (const line of lines) yield line + end;
}

/** Writes lines, no faster than the reader of the stream accepts them. Returns the number of lines. */
async function write(lines: AsyncIterable<string>, stream: NodeJS.WritableStream): Promise<number> {
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
