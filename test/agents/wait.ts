import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMailReceiver } from "../support/accounts/smtp.ts";
import { ask, type Bench, setUp } from "./bench.ts";
import { say } from "./models/serve.ts";
import type { Program } from "./programs.ts";
import { openTerminal, type Terminal, until } from "./terminal.ts";

/** Time limits in ms: until a question is in the inbox, and then until the email about the question arrives. */
const [WITHIN_MS, MAIL_MS] = [2_000, 10_000];
const START_MS = 60_000;

/** Text on the screen with which an agent asks for permission. */
const ASKS = /Do you want to proceed|Would you like to run|Allow|Do you want to/;

/** Arguments that make an agent ask before running a command. */
const ASKING: Readonly<Record<string, string[]>> = {
  "claude-code": ["--permission-mode", "default"],
  codex: ["--ask-for-approval", "on-request", "--sandbox", "read-only"],
};

/** Makes opencode ask, which depends on settings. */
function askFirst(home: string): void {
  const path = join(home, ".config/opencode/opencode.json");
  const asking = '"permission": { "bash": "ask" }';
  writeFileSync(path, readFileSync(path, "utf8").replace('"permission": "allow"', asking));
}

/**
 * Runs an agent in a terminal that asks before running a command. Returns the faults: the question is not in the
 * inbox within two seconds, or is still there after the reply, or no email arrives.
 */
export async function wait(name: string, program: Program, bin: string): Promise<string[]> {
  const mail = await startMailReceiver();
  const smtp = { SMTP_URL: `smtp://127.0.0.1:${mail.port}?security=none`, MAIL_FROM: "trackway@example.com" };
  const bench = await setUp(program, bin, smtp);
  let terminal: Terminal | undefined;
  try {
    const input = { name: "Waits", condition: "sessionState", channel: "email", emails: ["ops@example.com"] };
    const make = "mutation ($input: NoticeRuleCreateInput!) { noticeRuleCreate(input: $input) { success } }";
    await ask(bench, make, { input });
    bench.trackway(["connect", name, "--yes", "--no-probe"]);
    // Codex asks only about commands outside of the sandbox.
    if (name === "codex") say([[{ shell: "echo hello", isEscalated: true }], [{ say: "Done." }]]);
    if (name === "opencode") askFirst(bench.home);
    const project = join(bench.home, "project");
    terminal = await openTerminal(program, { bench, bin, project, args: ASKING[name] ?? [] });
    const { screen, press } = terminal;
    await terminal.prompt("Run echo hello and read a missing file.");
    if (!(await until(() => ASKS.test(screen()), START_MS))) return [`it asked for nothing: ${screen()}`];
    const began = performance.now();
    const after = () => `${Math.round(performance.now() - began)} ms`;
    const waits = await until(async () => (await entriesOf(bench)).length > 0, WITHIN_MS);
    const [entry] = await entriesOf(bench);
    console.log(`${name} asked; in the inbox ${after()} later: ${JSON.stringify(entry)}`);
    if (!waits) return [`nothing was in the inbox within ${WITHIN_MS} ms: ${screen()}`];
    if (entry?.type !== "waitingForPermission") return [`it waits as ${entry?.type}`];
    const isMailed = await until(
      () => mail.mails.some(({ headers }) => /waits/i.test(headers["subject"] ?? "")),
      MAIL_MS,
    );
    console.log(`a mail ${after()} later: ${mail.mails.map(({ headers }) => headers["subject"]).join(" | ")}`);
    press("Enter");
    const isOver = await until(
      async () => (await entriesOf(bench)).every(({ question }) => question !== entry.question),
      WITHIN_MS,
    );
    return [
      ...(isMailed ? [] : [`no mail of it came within ${MAIL_MS} ms`]),
      ...(isOver ? [] : [`${entry.question} is in the inbox after it was answered: ${screen()}`]),
    ];
  } finally {
    terminal?.close();
    await bench.close();
    await mail.close();
  }
}

interface Entry {
  type: string;
  question: string;
}

async function entriesOf(bench: Bench): Promise<Entry[]> {
  const { inbox } = await ask(bench, "{ inbox { nodes { type question session { metadata } } } }");
  return inbox.nodes.filter(({ type }: Entry) => type.startsWith("waiting"));
}
