import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import { addWorktree, git, noteAgent, removeWorktree, repositoryOf } from "../../../cli/runner/worktree.ts";

/** A folder that `git worktree add` of another process has begun: its files are there and empty. */
const HALF = ["gitdir", "commondir", "HEAD"];

describe("working trees of a repository on which several runs work", () => {
  it("are made, noted and removed though another run just makes one, which git cannot read until it is there", async () => {
    const root = join(mkdtempSync(join(tmpdir(), "trackway-trees-")), "repository");
    await git("/", "init", "--quiet", root);
    await git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "begin");
    const repository = await repositoryOf(root);
    const issue = { identifier: "ENG-1", branchName: "eng-1" };
    const half = join(root, ".git", "worktrees", "half");
    const meanwhile = async <T>(work: () => Promise<T>): Promise<T> => {
      mkdirSync(half, { recursive: true });
      for (const name of HALF) writeFileSync(join(half, name), name === "gitdir" ? `${root}/half/.git\n` : "");
      expect(await git(root, "worktree", "list").catch((error) => error.message)).to.match(/failed to read/);
      const done = work();
      await setTimeout(200);
      rmSync(half, { recursive: true });
      return done;
    };
    const tree = await meanwhile(() => addWorktree(repository, issue));
    await meanwhile(() => noteAgent(repository, tree, process.pid));
    const left = await meanwhile(() => removeWorktree(repository, tree, "left"));
    expect(left).to.deep.equal({ commit: "", isDirty: false });
    expect(await git(root, "branch", "--list", "eng-*")).to.equal("");
    expect((await git(root, "worktree", "list")).split("\n")).to.have.lengthOf(1);
  });
});
