import { execFile, execFileSync } from "node:child_process";
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

/** Pages of the docs with commands that users copy. */
export const COMMAND_PAGES = [
  ...["README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md"],
  ...readdirSync("docs").flatMap((name) => (name.endsWith(".md") ? [`docs/${name}`] : [])),
];

/**
 * Pages that start with a first start of the server. test/package/readme.slow.test.ts runs their commands together.
 */
export const FIRST_START_PAGES = ["README.md", "docs/tutorial.md", "examples/README.md"];

const [FROM_CI, CONTAINERS] = [".ci/run does it", "needs a container engine"];
const PROVIDER = "needs an OpenID provider: test/control/control-admin.slow.test.ts does it";
/**
 * Commands that no test of the docs runs: page, beginning of the line, and reason. The tests run all other commands.
 */
const NOT_RUN: readonly (readonly [page: string, line: string, why: string])[] = [
  ["README.md", "npm ci && npm start", "test/package/npm-start.slow.test.ts does it"],
  ["docs/tutorial.md", "npm ci && npm start", "test/package/npm-start.slow.test.ts does it"],
  ["CONTRIBUTING.md", "npm ci", FROM_CI],
  ["CONTRIBUTING.md", "npm test", FROM_CI],
  ["CONTRIBUTING.md", "npm run test:all", FROM_CI],
  ["CONTRIBUTING.md", "npx mocha", FROM_CI],
  ["CONTRIBUTING.md", "npm run check", FROM_CI],
  ["CONTRIBUTING.md", "npm run test:citus", FROM_CI],
  ["CONTRIBUTING.md", "bash .ci/run", "it runs this test"],
  ["docs/connect.md", "claude plugin", "needs Claude Code: npm run agents does it"],
  ...["adduser", "mkdir -p /opt", "cp -r", "install -m", "systemctl"].map(
    (line) => ["docs/deploy.md", line, "needs root and a systemd that runs"] as const,
  ),
  ["docs/deploy.md", "kubectl", "needs a cluster"],
  ["docs/oauth.md", "npx -y -p node@22", "fetches packages"],
  ...["docker compose", "docker build", "docker run"].map((line) => ["docs/operations.md", line, CONTAINERS] as const),
  ["docs/operations.md", "npm run admin -- distribute", "needs Citus: .ci/citus does it"],
  ["docs/operations.md", "npm run admin -- allow-passwords", PROVIDER],
  ["docs/sign-in.md", "npm run admin -- allow-passwords", PROVIDER],
];

/** Returns the text of the fenced blocks in a language on a page. */
export const readFencedBlocks = (page: string, language: string): string[] =>
  [...readFileSync(page, "utf8").matchAll(new RegExp(`^ *\`\`\`${language}\n([\\s\\S]*?)^ *\`\`\``, "gm"))].map(
    ([, text]) => String(text),
  );

/** Returns the fenced commands of a page, block by block. */
const commandsOf = (page: string): string[] => readFencedBlocks(page, "(?:sh|bash|shell)");

/** Returns the entries of NOT_RUN that match a line of a page. */
const notRun = (page: string, line: string) =>
  NOT_RUN.filter(([where, start]) => where === page && line.startsWith(start));

/** Returns the entries of NOT_RUN that match no line. */
export const findStaleReasons = () =>
  NOT_RUN.filter(
    ([page, start]) => !commandsOf(page).some((text) => text.split("\n").some((line) => line.startsWith(start))),
  );

/**
 * Returns the blocks of a page without the commands of NOT_RUN. A backslash at the end of a line continues the
 * command.
 */
export const readRunnableBlocks = (page: string): string[] =>
  commandsOf(page)
    .map((text) => text.replaceAll(/^(?:.*\\\n)*.*\n/gm, (line) => (notRun(page, line).length > 0 ? "" : line)))
    .filter((text) => text.trim() !== "");

/** Files and folders of a checkout that the pages mention. */
const CHECKOUT = ["cli", "dist", "examples", "mcp", "node_modules", "package.json", "plugins", "scripts", "trackway"];

/**
 * Creates a folder that looks like a checkout of Trackway without data, plus the files that the pages assume.
 * @param parts paths of another installation, by the names that they have in a checkout
 */
export function createCheckoutFolder(parts = Object.fromEntries(CHECKOUT.map((name) => [name, name]))): string {
  const folder = mkdtempSync(join(tmpdir(), "trackway-docs-"));
  for (const [name, path] of Object.entries(parts)) symlinkSync(resolve(path), join(folder, name));
  copyFileSync("test/fixtures/import/linear.csv", join(folder, "issues.csv"));
  cpSync("test/fixtures/transcripts/codex-0.169.0", join(folder, "backup"), { recursive: true });
  execFileSync("git", ["init", "-q", folder]);
  const author = ["-c", "user.name=a", "-c", "user.email=a@b.c"];
  execFileSync("git", [...author, "commit", "-q", "--allow-empty", "-m", "Begin"], { cwd: folder });
  return folder;
}

/**
 * Runs blocks in a shell whose working directory and home are one folder. A refused request counts as a failure.
 * @returns what each block printed. @throws with the whole output when a command fails.
 */
export async function runBlocks(folder: string, blocks: string[], env: Record<string, string>): Promise<string[]> {
  const checked = blocks.map((text) => text.replaceAll(/\bcurl (?!-q)/g, "curl -sS --fail-with-body "));
  const { PATH = "" } = process.env;
  const { stdout } = await promisify(execFile)(
    "bash",
    ["--norc", "-euo", "pipefail", "-c", `exec < /dev/null\n${checked.join("\necho @@@\n")}`],
    {
      cwd: folder,
      env: {
        PATH: `${folder}:${dirname(process.execPath)}:${PATH}`,
        HOME: folder,
        NPM_CONFIG_UPDATE_NOTIFIER: "false",
        ...env,
      },
    },
  ).catch(({ message, stdout }) => {
    throw new Error(`${message}\n${stdout}`);
  });
  return stdout.split("@@@\n");
}
