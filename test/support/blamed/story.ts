import { randomUUID } from "node:crypto";
import type { Workspace } from "../workspace.ts";
import { type AgentName, type Recorder, startRecorder } from "./recorder.ts";
import { BlamedRepository, type CommitHistory, LAST_LINE } from "./repository.ts";

const AGENTS: readonly AgentName[] = ["claude-code", "codex", "gemini-cli"];
const FILES = ["src/parser.ts", "lib/render.ts"] as const;

/** Creates a generator of numbers from 0 to 1 with a seed. */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * History of a repository, generated from a seed: recorded agents, a person and a bot. The author of each line is
 * known.
 */
export class RepositoryStory {
  readonly repository: BlamedRepository;
  readonly sessions = new Map<string, Recorder>();
  private readonly space: Workspace;
  private readonly next: () => number;
  private readonly name: string;
  private count = 0;

  constructor(space: Workspace, folder: string, seed: number) {
    this.space = space;
    this.next = numbersOf(seed);
    this.name = `r${seed}`;
    this.repository = new BlamedRepository(folder);
  }

  /** Runs each step once, in an order that depends on the seed. */
  async tell(): Promise<void> {
    for (const path of FILES) this.repository.create(path, [...this.code(), ...this.code(), LAST_LINE], "hand");
    this.repository.commit("Begin", "hand", "by others");
    const steps = Object.values(this.steps)
      .map((step) => ({ step, at: this.next() }))
      .sort((one, other) => one.at - other.at);
    for (const { step } of steps) await step();
  }

  private pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.next() * all.length)] as T;
  }

  /** Returns the lines of a new function. Every line except the closing brace is unique. */
  private code(): string[] {
    this.count += 1;
    const name = `${this.name}f${this.count}`;
    const value = Math.floor(this.next() * 1_000);
    return [`function ${name}(input) {`, `  const ${name}Sum = input + ${value};`, `  return ${name}Sum;`, "}", ""];
  }

  private async agent(name = this.pick(AGENTS), folder = this.repository.folder, more = {}): Promise<Recorder> {
    const recorder = await startRecorder(this.space, name, randomUUID(), folder, {
      prompt: `Mend ${this.name}`,
      ...more,
    });
    this.sessions.set(recorder.session, recorder);
    return recorder;
  }

  private async writes(recorder: Recorder, path: string, lines = this.code()): Promise<string[]> {
    this.repository.insert(path, LAST_LINE, lines, recorder.session);
    await recorder.inserts(path, LAST_LINE, lines);
    return lines;
  }

  private types(path: string, lines = this.code(), writer = "hand"): string[] {
    this.repository.insert(path, LAST_LINE, lines, writer);
    return lines;
  }

  private async commits(recorder: Recorder, form: CommitHistory = "unchanged"): Promise<void> {
    const message = `Change ${this.count} of ${this.name}`;
    const printed = this.repository.commit(message, recorder.session, form);
    await recorder.ran(`git add -A && git commit -m "${message}"`, printed.trimEnd());
  }

  private byHand(): void {
    this.repository.commit(`By hand ${this.count}`, "hand", "by others");
  }

  /** Does some work on a branch while a person commits to the main branch. Then `ends` merges the branch. */
  private async onBranch(work: () => Promise<void>, ends: () => void): Promise<void> {
    const { repository } = this;
    repository.git("switch", "-q", "-c", "topic");
    await work();
    repository.git("switch", "-q", "main");
    ends();
    repository.git("branch", "-q", "-D", "topic");
  }

  private readonly steps = {
    agentCommits: async () => {
      const recorder = await this.agent();
      await this.writes(recorder, this.pick(FILES));
      await this.writes(recorder, this.pick(FILES));
      await this.commits(recorder);
    },
    agentMakesFile: async () => {
      const recorder = await this.agent();
      const path = `src/${this.name}-${this.count}.ts`;
      const lines = [...this.code(), ...this.code()];
      this.repository.create(path, lines, recorder.session);
      await recorder.creates(path, lines);
      await this.commits(recorder);
    },
    agentReplaces: async () => {
      const recorder = await this.agent();
      const path = this.pick(FILES);
      const { text: before } = this.pick(this.repository.linesOf(path).filter(({ text }) => text.includes("Sum = ")));
      const after = before.replace(/\d+;$/, `${this.count} * 7;`);
      this.repository.replace(path, before, after, recorder.session);
      await recorder.replaces(path, before, after);
      await this.commits(recorder);
    },
    personCommits: async () => {
      this.types(this.pick(FILES));
      this.byHand();
    },
    botCommits: async () => {
      this.types(this.pick(FILES), this.code(), "bot");
      this.repository.commit(`Tidy ${this.count}`, "bot", "by others");
    },
    personCommitsWhatAgentWrote: async () => {
      await this.writes(await this.agent(), this.pick(FILES));
      this.byHand();
    },
    twoAgentsInOneFolder: async () => {
      const [one, other] = [await this.agent(), await this.agent()];
      const path = this.pick(FILES);
      await this.writes(one, path);
      await this.writes(other, path);
      await this.commits(one);
    },
    agentCommitsWhatPersonWrote: async () => {
      const recorder = await this.agent();
      const path = this.pick(FILES);
      await this.writes(recorder, path);
      this.types(path);
      await this.commits(recorder);
    },
    agentOfAnotherRepository: async () => {
      const path = this.pick(FILES);
      const lines = this.code();
      const foreign = await this.agent(
        this.pick(AGENTS),
        `/srv/other/${this.name}`,
        this.pick([{}, { host: "elsewhere" }]),
      );
      await foreign.inserts(path, LAST_LINE, lines);
      await foreign.ran("git commit -m Elsewhere", `[main ${randomUUID().slice(0, 7)}] Elsewhere`);
      this.types(path, lines);
      this.byHand();
    },
    rebased: async () => {
      const recorder = await this.agent();
      await this.onBranch(
        async () => {
          for (let times = 0; times < 2; times += 1) {
            await this.writes(recorder, FILES[0]);
            await this.commits(recorder, "rebased");
          }
        },
        () => {
          const { repository } = this;
          // The main branch changes a file that the branch does not touch.
          this.types(FILES[1]);
          repository.git("add", FILES[1]);
          repository.git("commit", "-q", "-m", "Meanwhile");
          for (const line of repository.fresh()) Object.assign(line, { committer: "hand", form: "by others" });
          repository.git("rebase", "-q", "main", "topic");
          repository.git("switch", "-q", "main");
          repository.git("merge", "-q", "--ff-only", "topic");
        },
      );
    },
    squashed: async () => {
      const recorder = await this.agent();
      const before = new Set(this.all());
      await this.onBranch(
        async () => {
          for (let times = 0; times < 2; times += 1) {
            await this.writes(recorder, this.pick(FILES));
            await this.commits(recorder);
          }
        },
        () => {
          this.repository.git("merge", "-q", "--squash", "topic");
          this.repository.git("commit", "-q", "-m", `Squash ${this.count}`);
        },
      );
      const fresh = this.all().filter((line) => !before.has(line));
      this.repository.became(fresh, "squashed", "hand");
    },
    amendedByHand: async () => {
      const recorder = await this.agent();
      const before = new Set(this.all());
      await this.writes(recorder, this.pick(FILES));
      await this.commits(recorder);
      this.types(this.pick(FILES));
      this.repository.commit(`Amend ${this.count}`, "hand", "amended", "--amend");
      this.repository.became(
        this.all().filter((line) => !before.has(line)),
        "amended",
        "hand",
      );
    },
    newMessageByHand: async () => {
      const recorder = await this.agent();
      await this.writes(recorder, this.pick(FILES));
      await this.commits(recorder, "rebased");
      this.repository.git("commit", "-q", "--amend", "-m", `Say it better ${this.count}`);
    },
    personPutsBack: async () => {
      const recorder = await this.agent();
      const path = this.pick(FILES);
      const lines = await this.writes(recorder, path);
      await this.commits(recorder);
      this.repository.remove(path, lines);
      this.byHand();
      this.types(path, lines);
      this.byHand();
    },
    agentOverwrites: async () => {
      const recorder = await this.agent("gemini-cli");
      const path = this.pick(FILES);
      this.types(path);
      this.repository.insert(path, LAST_LINE, this.code(), recorder.session);
      await recorder.overwrites(
        path,
        this.repository.linesOf(path).map(({ text }) => text),
      );
      await this.commits(recorder);
    },
  };

  private all() {
    return [...this.repository.files.values()].flat();
  }
}
