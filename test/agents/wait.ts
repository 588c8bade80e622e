import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMailReceiver } from "../support/accounts/smtp.ts";
import { ask, type Bench, setUp } from "./bench.ts";
import { say } from "./models/serve.ts";
import type { Program } from "./programs.ts";
import { openTerminal, type Terminal, until } from "./terminal.ts";

/** The time within which whatever is asked has to be in the inbox, and then a mail of it has to arrive. */
const [WITHIN_MS, MAIL_MS] = [2_000, 10_000];
const START_MS = 60_000;

/** Words on the screen by which a program asks for a permission. */
const ASKS = /Do you want to proceed|Would you like to run|Allow|Do you want to/;

/** Arguments by which a program asks before it runs a command. */
const ASKING: Readonly<Record<string, string[]>> = {
  "claude-code": ["--permission-mode", "default"],
  codex: ["--ask-for-approval", "on-request", "--sandbox", "read-only"],
};

/** Has opencode ask, which its settings decide. */
function askFirst(home: string): void {
  const path = join(home, ".config/opencode/opencode.json");
  const asking = '"permission": { "bash": "ask" }';
  writeFileSync(path, readFileSync(path, "utf8").replace('"permission": "allow"', asking));
}

/**
 * Runs a program in a terminal, where it asks before it runs a command. Answers what is wrong: the question is not in the
 * inbox within two seconds, or still is once it was answered; no mail of it comes.
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
    // Codex asks for what is to run outside of its sandbox alone.
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
