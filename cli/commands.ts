import type { Command } from "commander";

/**
 * Function that loads the file of a command and creates the command. Called only when the command runs, or when the
 * program needs all commands, for example for the help or a completion script.
 */
type Load = () => Promise<Command>;

/** Heading of the commands that concern only this machine. */
export const MACHINE_HEADING = "This machine:";

/**
 * All commands, grouped by the headings of the help. To add a command, write a function in a file below commands/ and
 * add an entry here.
 */
export const COMMAND_LOADERS_BY_HEADING: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  "Work:": {
    prime: async () => (await import("./commands/read/prime.ts")).createPrimeCommand(),
    list: async () => (await import("./commands/read/list.ts")).createListCommand(),
    ready: async () => (await import("./commands/work/ready.ts")).createReadyCommand(),
    claim: async () => (await import("./commands/work/done.ts")).createClaimCommand(),
    show: async () => (await import("./commands/read/show.ts")).createShowCommand(),
    handover: async () => (await import("./commands/read/show.ts")).createHandoverCommand(),
    history: async () => (await import("./commands/read/history.ts")).createHistoryCommand(),
    open: async () => (await import("./commands/read/show.ts")).createOpenCommand(),
    comment: async () => (await import("./commands/work/comment.ts")).createCommentCommand(),
    create: async () => (await import("./commands/work/update.ts")).createCreateCommand(),
    update: async () => (await import("./commands/work/update.ts")).createUpdateCommand(),
    unlink: async () => (await import("./commands/work/update.ts")).createUnlinkCommand(),
    done: async () => (await import("./commands/work/done.ts")).createDoneCommand(),
    close: async () => (await import("./commands/work/done.ts")).createCloseCommand(),
    start: async () => (await import("./commands/work/move.ts")).createStartCommand(),
    reopen: async () => (await import("./commands/work/move.ts")).createReopenCommand(),
    delete: async () => (await import("./commands/work/move.ts")).createDeleteCommand(),
    release: async () => (await import("./commands/work/done.ts")).createReleaseCommand(),
    run: async () => (await import("./commands/work/run.ts")).createRunCommand(),
    search: async () => (await import("./commands/read/list.ts")).createSearchCommand(),
  },
  "Plan:": {
    team: async () => (await import("./commands/plan/plan.ts")).createPlanCommand("team"),
    label: async () => (await import("./commands/plan/plan.ts")).createPlanCommand("label"),
    project: async () => (await import("./commands/plan/plan.ts")).createPlanCommand("project"),
    cycle: async () => (await import("./commands/plan/plan.ts")).createPlanCommand("cycle"),
    milestone: async () => (await import("./commands/plan/plan.ts")).createPlanCommand("milestone"),
  },
  "Recorded sessions:": {
    sessions: async () => (await import("./commands/recorded/sessions.ts")).createSessionsCommand(),
    session: async () => (await import("./commands/recorded/sessions.ts")).createSessionCommand(),
    blame: async () => (await import("./commands/recorded/blame.ts")).createBlameCommand(),
    inbox: async () => (await import("./commands/recorded/inbox.ts")).createInboxCommand(),
    usage: async () => (await import("./commands/recorded/usage.ts")).createUsageCommand(),
  },
  "Import and export:": {
    import: async () => (await import("./commands/data/import.ts")).createImportCommand(),
    export: async () => (await import("./commands/data/export.ts")).createExportCommand(),
  },
  [MACHINE_HEADING]: {
    login: async () => (await import("./commands/machine/login.ts")).createLoginCommand(),
    logout: async () => (await import("./commands/machine/login.ts")).createLogoutCommand(),
    whoami: async () => (await import("./commands/machine/login.ts")).createWhoamiCommand(),
    connect: async () => (await import("./commands/machine/connect.ts")).createConnectCommand(),
    mcp: async () => (await import("./commands/machine/connect.ts")).createMcpCommand(),
    doctor: async () => (await import("./commands/machine/connect.ts")).createDoctorCommand(),
    completion: async () => (await import("./commands/machine/completion.ts")).createCompletionCommand(),
  },
};

export const isCommand = (name: string): boolean =>
  Object.values(COMMAND_LOADERS_BY_HEADING).some((commands) => Object.hasOwn(commands, name));
