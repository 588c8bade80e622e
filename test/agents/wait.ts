import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sendGraphQL } from "../support/server.ts";
import { type Bench, setUp } from "./bench.ts";
import { say } from "./models/serve.ts";
import type { Program } from "./programs.ts";

/** The time within which whatever is asked has to be in the inbox. */
const WITHIN_MS = 2_000;
const START_MS = 60_000;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Words on the screen by which a program asks for a permission. */
const ASKS = /Do you want to proceed|Would you like to run|Allow|Do you want to/;
/** A dialog of the first start, with the keys that pass it. */
const DIALOGS: readonly (readonly [RegExp, string[]])[] = [
  [/trust (the files|this folder)|Do you trust/i, ["Enter"]],
  [/Choose the text style|Let's get started/i, ["Enter"]],
  [/Detected a custom API key/i, ["Up", "Enter"]],
  [/Press Enter to continue|Security notes/i, ["Enter"]],
];

/** Arguments by which a program asks before it runs a command. */
const ASKING: Readonly<Record<string, string[]>> = {
  "claude-code": ["--permission-mode", "default"],
  codex: ["--ask-for-approval", "on-request", "--sandbox", "read-only"],
};

/** The settings of somebody who has used the program before. */
const FILES: Readonly<Record<string, (home: string, project: string) => void>> = {
  "claude-code": (home, project) => {
    const path = join(home, ".claude.json");
    const there = JSON.parse(readFileSync(path, "utf8"));
    const settled = {
      hasCompletedOnboarding: true,
      theme: "dark",
      customApiKeyResponses: { approved: ["sk-fake"], rejected: [] },
    };
    const projects = { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
    writeFileSync(path, JSON.stringify({ ...there, ...settled, projects }));
  },
  opencode: (home) => {
    const path = join(home, ".config/opencode/opencode.json");
    const asking = '"permission": { "bash": "ask" }';
    writeFileSync(path, readFileSync(path, "utf8").replace('"permission": "allow"', asking));
  },
};

/**
 * Runs a program in a terminal, where it asks before it runs a command. Answers what is wrong: the question is not in the
 * inbox within two seconds, or still is once it was answered.
 */
export async function wait(name: string, program: Program, bin: string): Promise<string[]> {
  const bench = await setUp(program, bin);
  const project = join(bench.home, "project");
  const socket = join(bench.home, "tmux");
  const tmux = (...args: string[]) => spawnSync("tmux", ["-S", socket, ...args], { encoding: "utf8" }).stdout;
  const screen = () => tmux("capture-pane", "-p", "-t", "agent");
  try {
    bench.trackway(["connect", name, "--yes", "--no-probe"]);
    // Codex asks for what is to run outside of its sandbox alone.
    if (name === "codex") say([[{ shell: "echo hello", isEscalated: true }], [{ say: "Done." }]]);
    mkdirSync(project);
    FILES[name]?.(bench.home, project);
    const env = {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: bench.home,
      TERM: "xterm-256color",
      ...program.env(bench.model.url),
    };
    const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const settings = join(bench.home, "tmux.conf");
    // The last words of a program that ended stay on the screen.
    writeFileSync(settings, "set -g remain-on-exit on\n");
    tmux(
      "-f",
      settings,
      "new-session",
      "-d",
      "-s",
      "agent",
      "-x",
      "140",
      "-y",
      "50",
      "-c",
      project,
      "env",
      "-i",
      ...variables,
      program.command,
      ...(ASKING[name] ?? []),
    );
    await passed(screen, tmux);
    tmux("send-keys", "-t", "agent", "-l", "Run echo hello and read a missing file.");
    await sleep(500);
    tmux("send-keys", "-t", "agent", "Enter");
    const asked = await until(() => ASKS.test(screen()), START_MS);
    if (!asked) return [`it asked for nothing: ${screen()}`];
    const began = performance.now();
    const waits = await until(async () => (await entriesOf(bench)).length > 0, WITHIN_MS);
    const [entry] = await entriesOf(bench);
    console.log(
      `${name} asked; in the inbox ${Math.round(performance.now() - began)} ms later: ${JSON.stringify(entry)}`,
    );
    if (!waits) return [`nothing was in the inbox within ${WITHIN_MS} ms: ${screen()}`];
    if (entry?.type !== "waitingForPermission") return [`it waits as ${entry?.type}`];
    tmux("send-keys", "-t", "agent", "Enter");
    const isOver = await until(
      async () => (await entriesOf(bench)).every(({ question }) => question !== entry.question),
      WITHIN_MS,
    );
    return isOver ? [] : [`${entry.question} is in the inbox after it was answered: ${screen()}`];
  } finally {
    tmux("kill-server");
    await bench.close();
  }
}

async function passed(screen: () => string, tmux: (...args: string[]) => string): Promise<void> {
  const end = performance.now() + START_MS;
  for (let quiet = 0; quiet < 6; ) {
    if (performance.now() > end) throw new Error(`it does not get past a dialog: ${screen()}`);
    await sleep(700);
    const dialog = DIALOGS.find(([words]) => words.test(screen()));
    if (!dialog) {
      quiet += screen().trim() === "" ? 0 : 1;
      continue;
    }
    tmux("send-keys", "-t", "agent", ...dialog[1]);
    quiet = 0;
  }
}

async function until(holds: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(100)) if (await holds()) return true;
  return false;
}

interface Entry {
  type: string;
  question: string;
}

async function entriesOf({ url, apiKey }: Bench): Promise<Entry[]> {
  const query = "{ inbox { nodes { type question session { metadata } } } }";
  const { data } = await sendGraphQL(url, apiKey, { query });
  return data?.inbox.nodes.filter(({ type }: Entry) => type.startsWith("waiting")) ?? [];
}
