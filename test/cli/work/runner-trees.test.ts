import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import {
  addWorktree,
  findRepository,
  lockWorktreeForAgent,
  readGit,
  removeWorktree,
} from "../../../cli/runner/worktree.ts";

/**
 * Files of a worktree that `git worktree add` in another process has only started to create: the files exist and are
 * empty.
 */
const HALF = ["gitdir", "commondir", "HEAD"];

describe("worktrees of several runs in a repository", () => {
  it("are created, listed and removed while another run's unfinished worktree breaks git", async () => {
    const root = join(mkdtempSync(join(tmpdir(), "trackway-trees-")), "repository");
    await readGit("/", "init", "--quiet", root);
    await readGit(
      root,
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@b",
      "commit",
      "--quiet",
      "--allow-empty",
      "-m",
      "begin",
    );
    const repository = await findRepository(root);
    const issue = { identifier: "ENG-1", branchName: "eng-1" };
    const half = join(root, ".git", "worktrees", "half");
    const meanwhile = async <T>(work: () => Promise<T>): Promise<T> => {
      mkdirSync(half, { recursive: true });
      for (const name of HALF) writeFileSync(join(half, name), name === "gitdir" ? `${root}/half/.git\n` : "");
      expect(await readGit(root, "worktree", "list").catch((error) => error.message)).to.match(/failed to read/);
      const done = work();
      await setTimeout(200);
      rmSync(half, { recursive: true });
      return done;
    };
    const tree = await meanwhile(() => addWorktree(repository, issue));
    await meanwhile(() => lockWorktreeForAgent(repository, tree, process.pid));
    const left = await meanwhile(() => removeWorktree(repository, tree, "left"));
    expect(left).to.deep.equal({ commit: "", isDirty: false });
    expect(await readGit(root, "branch", "--list", "eng-*")).to.equal("");
    expect((await readGit(root, "worktree", "list")).split("\n")).to.have.lengthOf(1);
  });
});
