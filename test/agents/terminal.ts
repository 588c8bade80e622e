import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "./bench.ts";
import type { Program } from "./programs.ts";

/** Agent in a terminal. */
export interface Terminal {
  screen(): string;
  /** Presses keys, by the names of tmux. */
  press(...keys: string[]): void;
  /** Types and sends a prompt. */
  prompt(text: string): Promise<void>;
  close(): void;
}

const START_MS = 60_000;

/** Dialogs of the first start, with the keys that close them. */
const DIALOGS: readonly (readonly [RegExp, string[]])[] = [
  [/trust (the files|this folder)|Do you trust/i, ["Enter"]],
  [/Choose the text style|Let's get started/i, ["Enter"]],
  [/Detected a custom API key/i, ["Up", "Enter"]],
  [/Press Enter to continue|Security notes/i, ["Enter"]],
];

/** Starts an agent with arguments in a folder, and closes the dialogs of the first start. */
export async function openTerminal(
  program: Program,
  { bench, bin, project, args }: { bench: Bench; bin: string; project: string; args: readonly string[] },
): Promise<Terminal> {
  const tmux = (...more: string[]) =>
    spawnSync("tmux", ["-S", join(bench.home, "tmux"), ...more], { encoding: "utf8" }).stdout;
  const terminal: Terminal = {
    screen: () => tmux("capture-pane", "-p", "-t", "agent"),
    press: (...keys) => void tmux("send-keys", "-t", "agent", ...keys),
    async prompt(text) {
      tmux("send-keys", "-t", "agent", "-l", text);
      await sleep(500);
      tmux("send-keys", "-t", "agent", "Enter");
    },
    close: () => void tmux("kill-server"),
  };
  mkdirSync(project, { recursive: true });
  if (program.command === "claude") settle(bench.home, project);
  const path = `${bin}:${process.env["PATH"]}`;
  const env = { PATH: path, HOME: bench.home, TERM: "xterm-256color", ...program.env(bench.model.url) };
  const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
  const settings = join(bench.home, "tmux.conf");
  // The last output of an agent that exited stays on the screen.
  writeFileSync(settings, "set -g remain-on-exit on\n");
  const size = ["-x", "140", "-y", "50"];
  const command = ["env", "-i", ...variables, program.command, ...args];
  tmux("-f", settings, "new-session", "-d", "-s", "agent", ...size, "-c", project, ...command);
  await passDialogs(terminal);
  return terminal;
}

/** Writes the settings of a user who has used Claude Code before. */
function settle(home: string, project: string): void {
  const path = join(home, ".claude.json");
  const there = JSON.parse(readFileSync(path, "utf8"));
  const settled = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["sk-fake"], rejected: [] },
  };
  const projects = {
    ...there.projects,
    [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true },
  };
  writeFileSync(path, JSON.stringify({ ...there, ...settled, projects }));
}

async function passDialogs({ screen, press }: Terminal): Promise<void> {
  const end = performance.now() + START_MS;
  for (let quiet = 0; quiet < 6; ) {
    if (performance.now() > end) throw new Error(`it does not get past a dialog: ${screen()}`);
    await sleep(700);
    const dialog = DIALOGS.find(([words]) => words.test(screen()));
    if (!dialog) {
      quiet += screen().trim() === "" ? 0 : 1;
      continue;
    }
    press(...dialog[1]);
    quiet = 0;
  }
}

/** Waits until a condition is true, for a limited time in ms. Returns whether the condition is true. */
export async function until(holds: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; await sleep(100)) if (await holds()) return true;
  return false;
}
