import type { Command } from "commander";

/** Creates a command. The command's file is loaded only when the command runs or the help lists the command. */
type Load = () => Promise<Command>;

/** Heading of the commands that concern only this machine. */
export const MACHINE_HEADING = "This machine:";

/**
 * All commands, under the headings of the help. Each command is a function in a file below commands/ with one entry
 * here.
 */
export const COMMANDS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  "Work:": {
    prime: async () => (await import("./commands/read/prime.ts")).primeCommand(),
    list: async () => (await import("./commands/read/list.ts")).listCommand(),
    ready: async () => (await import("./commands/work/ready.ts")).readyCommand(),
    claim: async () => (await import("./commands/work/done.ts")).claimCommand(),
    show: async () => (await import("./commands/read/show.ts")).showCommand(),
    handover: async () => (await import("./commands/read/show.ts")).handoverCommand(),
    history: async () => (await import("./commands/read/history.ts")).historyCommand(),
    open: async () => (await import("./commands/read/show.ts")).openCommand(),
    comment: async () => (await import("./commands/work/comment.ts")).commentCommand(),
    create: async () => (await import("./commands/work/update.ts")).createCommand(),
    update: async () => (await import("./commands/work/update.ts")).updateCommand(),
    unlink: async () => (await import("./commands/work/update.ts")).unlinkCommand(),
    done: async () => (await import("./commands/work/done.ts")).doneCommand(),
    close: async () => (await import("./commands/work/done.ts")).closeCommand(),
    start: async () => (await import("./commands/work/move.ts")).startCommand(),
    reopen: async () => (await import("./commands/work/move.ts")).reopenCommand(),
    delete: async () => (await import("./commands/work/move.ts")).deleteCommand(),
    release: async () => (await import("./commands/work/done.ts")).releaseCommand(),
    run: async () => (await import("./commands/work/run.ts")).runCommand(),
    search: async () => (await import("./commands/read/list.ts")).searchCommand(),
  },
  "Plan:": {
    team: async () => (await import("./commands/plan/plan.ts")).planCommand("team"),
    label: async () => (await import("./commands/plan/plan.ts")).planCommand("label"),
    project: async () => (await import("./commands/plan/plan.ts")).planCommand("project"),
    cycle: async () => (await import("./commands/plan/plan.ts")).planCommand("cycle"),
    milestone: async () => (await import("./commands/plan/plan.ts")).planCommand("milestone"),
  },
  "Recorded sessions:": {
    sessions: async () => (await import("./commands/recorded/sessions.ts")).sessionsCommand(),
    session: async () => (await import("./commands/recorded/sessions.ts")).sessionCommand(),
    blame: async () => (await import("./commands/recorded/blame.ts")).blameCommand(),
    inbox: async () => (await import("./commands/recorded/inbox.ts")).inboxCommand(),
    usage: async () => (await import("./commands/recorded/usage.ts")).usageCommand(),
  },
  "Import and export:": {
    import: async () => (await import("./commands/data/import.ts")).importCommand(),
    export: async () => (await import("./commands/data/export.ts")).exportCommand(),
  },
  [MACHINE_HEADING]: {
    login: async () => (await import("./commands/machine/login.ts")).loginCommand(),
    logout: async () => (await import("./commands/machine/login.ts")).logoutCommand(),
    whoami: async () => (await import("./commands/machine/login.ts")).whoamiCommand(),
    connect: async () => (await import("./commands/machine/connect.ts")).connectCommand(),
    mcp: async () => (await import("./commands/machine/connect.ts")).mcpCommand(),
    doctor: async () => (await import("./commands/machine/connect.ts")).doctorCommand(),
    completion: async () => (await import("./commands/machine/completion.ts")).completionCommand(),
  },
};

export const isCommand = (name: string): boolean =>
  Object.values(COMMANDS).some((commands) => Object.hasOwn(commands, name));
