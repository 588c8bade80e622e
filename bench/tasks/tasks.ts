import type { ToolAnswer } from "../../test/support/mcp.ts";
import { dayFromToday } from "./scene.ts";

/** A task in the scene, and the check that the task is done. */
export interface Task {
  say: string;
  /** Performs the task with the fewest calls. Returns the words of the answer when the task asks a question. */
  least(call: (tool: string, args?: Record<string, unknown>) => Promise<ToolAnswer["data"]>): Promise<unknown>;
  /** The words that the answer must contain, in order. */
  answer?: readonly string[];
  state?: State;
  /** True for a task about a recorded session. */
  recorded?: true;
}

type State = readonly [query: string, is: unknown];

type Issues = { issues: { id: string }[] };
const ids = ({ issues }: Issues): string[] => issues.map(({ id }) => id);
const one = (id: string, selection: string, is: object): State => [
  `{ issue(id: "${id}") { ${selection} } }`,
  { issue: is },
];
const named = (name: string) => ({ name });
const nodes = (...names: string[]) => ({ nodes: names.map(named) });
const count = (filter: string) => `issueGroups(filter: { ${filter} }) { count }`;

const QUESTIONS: readonly Task[] = [
  {
    say: "How many open bugs does ENG have?",
    least: async (call) => [
      String((await call("list_issues", { team: "ENG", labels: ["bug"], state: "open", count: true })).count),
    ],
    answer: ["4"],
  },
  {
    say: "Which state do most issues of ENG have, and how many are in it?",
    least: async (call) => {
      const [most] = (await call("list_issues", { team: "ENG", group_by: "state" })).groups;
      return [most.name, String(most.count)];
    },
    answer: ["Backlog", "6"],
  },
  {
    say: "Who has open issues, and how many each? How many have nobody?",
    least: async (call) => {
      const [nobody, olive] = (await call("list_issues", { state: "open", group_by: "assignee" })).groups;
      return [olive.name, String(olive.count), String(nobody.count)];
    },
    answer: ["Olive Owner", "3", "8"],
  },
  {
    say: "How many issues were completed in the last seven days?",
    least: async (call) => [String((await call("list_issues", { completed_since: "P7D", count: true })).count)],
    answer: ["1"],
  },
  {
    say: "Which open issue of ENG is the most urgent?",
    least: async (call) => ids(await call("list_issues", { team: "ENG", state: "open", sort: "priority", limit: 1 })),
    answer: ["ENG-1"],
  },
  {
    say: "Which open issues are overdue?",
    least: async (call) => ids(await call("list_issues", { state: "open", due: "P0D" })),
    answer: ["ENG-3"],
  },
  {
    say: "Which issues in the backlog of ENG are in no project? Oldest last.",
    least: async (call) => ids(await call("list_issues", { team: "ENG", state: "Backlog", project: "none" })),
    answer: ["ENG-6", "ENG-4", "ENG-3"],
  },
  {
    say: "Which issues that I created are being worked on?",
    least: async (call) => ids(await call("list_issues", { creator: "me", state: "started" })),
    answer: ["ENG-2"],
  },
  {
    say: "Find the issue about tax rates.",
    least: async (call) => ids(await call("list_issues", { query: "tax rates" })),
    answer: ["ENG-5"],
  },
  {
    say: "How many issues mention login?",
    least: async (call) => [String((await call("list_issues", { query: "login", count: true })).count)],
    answer: ["2"],
  },
  {
    say: "What blocks ENG-9?",
    least: async (call) =>
      (await call("get_issue", { issue: "ENG-9" })).issue.blocked_by.map(({ id }: { id: string }) => id),
    answer: ["ENG-8"],
  },
  {
    say: "Which cycle of ENG is running, by number, and when does it end?",
    least: async (call) => {
      const [cycle] = (await call("list_cycles", { team: "ENG", time: "current" })).cycles;
      return [String(cycle.number), cycle.ends];
    },
    answer: ["1", dayFromToday(7)],
  },
  {
    say: "Which tool failed in the last session that had failures, and why?",
    recorded: true,
    least: async (call) => {
      const [last] = (await call("list_sessions", { failed: true, limit: 1 })).sessions;
      const { tree } = (await call("get_session", { session_id: last.id, failures_only: true })).session;
      return /(run_tests)[^\n]*(timeout after 30 s)/.exec(tree)?.slice(1);
    },
    answer: ["run_tests", "timeout after 30 s"],
  },
];

const CHANGES: readonly Task[] = [
  {
    say: 'File an urgent bug in ENG: "Payment page is blank".',
    least: (call) =>
      call("create_issue", { team: "ENG", title: "Payment page is blank", priority: "urgent", labels: ["bug"] }),
    state: one("ENG-11", "title priority labels { nodes { name } }", {
      ...{ title: "Payment page is blank", priority: 1, labels: nodes("bug") },
    }),
  },
  {
    say: "Assign ENG-1 to me and start it.",
    least: (call) => call("update_issue", { issue: "ENG-1", assignee: "me", state: "In Progress" }),
    state: one("ENG-1", "assignee { name } state { name }", {
      assignee: named("Olive Owner"),
      state: named("In Progress"),
    }),
  },
  {
    say: "Move ENG-6 to OPS.",
    least: (call) => call("update_issue", { issue: "ENG-6", team: "OPS" }),
    state: one("ENG-6", "identifier", { identifier: "OPS-3" }),
  },
  {
    say: 'Close ENG-2 and say on it: "The export streams its rows."',
    least: (call) => call("finish_issue", { issue: "ENG-2", summary: "The export streams its rows." }),
    state: one("ENG-2", "state { name } comments { nodes { body } }", {
      ...{ state: named("Done"), comments: { nodes: [{ body: "The export streams its rows." }] } },
    }),
  },
  {
    say: 'Comment on ENG-4: "Use the keys of the platform."',
    least: (call) => call("create_comment", { issue: "ENG-4", body: "Use the keys of the platform." }),
    state: one("ENG-4", "comments { nodes { body } }", {
      comments: { nodes: [{ body: "Use the keys of the platform." }] },
    }),
  },
  {
    say: "ENG-5 is urgent now, and due on 24 December 2030.",
    least: (call) => call("update_issue", { issue: "ENG-5", priority: "urgent", due: "2030-12-24" }),
    state: one("ENG-5", "priority dueDate", { priority: 1, dueDate: "2030-12-24" }),
  },
  {
    say: "ENG-8 has to be done before ENG-4.",
    least: (call) => call("link_issues", { issue: "ENG-8", type: "blocks", to: "ENG-4" }),
    state: one("ENG-4", "ready", { ready: false }),
  },
  {
    say: "ENG-9 is not blocked by ENG-8 any more.",
    least: (call) => call("unlink_issues", { issue: "ENG-9", to: "ENG-8" }),
    state: one("ENG-9", "ready inverseRelations { nodes { type } }", { ready: true, inverseRelations: { nodes: [] } }),
  },
  {
    say: "ENG-10 is a duplicate of ENG-1.",
    least: (call) => call("link_issues", { issue: "ENG-10", type: "duplicate", to: "ENG-1" }),
    state: one("ENG-10", "state { name }", { state: named("Duplicate") }),
  },
  {
    say: 'Take the next issue of ENG that is ready and finish it: "Done in the morning."',
    least: async (call) => {
      const { issue } = await call("next_issue", { team: "ENG" });
      await call("finish_issue", { issue: issue.id, summary: "Done in the morning.", fence: issue.fence });
    },
    state: one("ENG-1", "state { name }", { state: named("Done") }),
  },
  {
    say: "File a bug in ENG for what failed in the last session.",
    recorded: true,
    least: async (call) => {
      const [last] = (await call("list_sessions", { failed: true, limit: 1 })).sessions;
      await call("create_issue_from_session", { session_id: last.id, team: "ENG", labels: ["bug"] });
    },
    state: one("ENG-11", "labels { nodes { name } }", { labels: nodes("bug") }),
  },
];

const BULK: readonly Task[] = [
  {
    say: "Assign all open bugs of ENG to me.",
    least: async (call) => {
      const issues = ids(await call("list_issues", { team: "ENG", labels: ["bug"], state: "open" }));
      await call("update_issues", { issues, assignee: "me" });
    },
    state: [
      `{ ${count('labels: { some: { name: { eq: "bug" } } }, assignee: { isMe: { eq: true } }')} }`,
      { issueGroups: { count: 5 } },
    ],
  },
  {
    say: "Move everything unfinished of the current cycle of ENG to cycle 2.",
    least: async (call) => {
      const issues = ids(await call("list_issues", { team: "ENG", cycle: "current", state: "open" }));
      await call("update_issues", { issues, cycle: "2" });
    },
    state: [`{ ${count("cycle: { number: { eq: 2 } }")} }`, { issueGroups: { count: 3 } }],
  },
  {
    say: "Move OPS-1 and OPS-2 to ENG.",
    least: (call) => call("update_issues", { issues: ["OPS-1", "OPS-2"], team: "ENG" }),
    state: [`{ ${count('team: { key: { eq: "ENG" } }')} }`, { issueGroups: { count: 12 } }],
  },
  {
    say: "Make ENG-4 high, ENG-3 medium and ENG-6 urgent.",
    least: (call) =>
      call("update_issues", {
        changes: [
          { issue: "ENG-4", priority: "high" },
          { issue: "ENG-3", priority: "medium" },
          { issue: "ENG-6", priority: "urgent" },
        ],
      }),
    state: [
      '{ a: issue(id: "ENG-4") { priority } b: issue(id: "ENG-3") { priority } c: issue(id: "ENG-6") { priority } }',
      { a: { priority: 2 }, b: { priority: 3 }, c: { priority: 1 } },
    ],
  },
  {
    say: "Take the label ui off ENG-4 and ENG-6.",
    least: (call) => call("update_issues", { issues: ["ENG-4", "ENG-6"], remove_labels: ["ui"] }),
    state: [`{ ${count('labels: { some: { name: { eq: "ui" } } }')} }`, { issueGroups: { count: 0 } }],
  },
];

const PHASES = ["Prepare", "Build", "Ship"];
const STEPS = Array.from({ length: 9 }, (_, at) => at + 1);

const PLANS: readonly Task[] = [
  {
    say: 'Plan "Passkeys" in ENG with the parts "Server", "Page" and "Docs"; the server blocks the page, the page the docs.',
    least: (call) =>
      call("plan_issues", {
        team: "ENG",
        issues: [
          {
            title: "Passkeys",
            children: [
              { title: "Server", blocks: ["page"] },
              { ref: "page", title: "Page", blocks: ["docs"] },
              { ref: "docs", title: "Docs" },
            ],
          },
        ],
      }),
    state: one("ENG-11", "title children(filter: { hasBlockedByRelations: { eq: true } }) { nodes { title } }", {
      ...{ title: "Passkeys", children: { nodes: [{ title: "Docs" }, { title: "Page" }] } },
    }),
  },
  {
    say: 'Plan the release in OPS: "Prepare", "Build" and "Ship", each with nine steps ("Build 1" to "Build 9") that block one another in order.',
    least: (call) =>
      call("plan_issues", {
        team: "OPS",
        issues: PHASES.map((title) => ({
          title,
          children: STEPS.map((n) => ({
            ref: `${title}${n}`,
            title: `${title} ${n}`,
            ...(n < 9 && { blocks: [`${title}${n + 1}`] }),
          })),
        })),
      }),
    state: [
      `{ all: ${count('team: { key: { eq: "OPS" } }, number: { gt: 2 }')} parts: ${count("parent: { null: false }")}
        blocked: ${count('team: { key: { eq: "OPS" } }, hasBlockedByRelations: { eq: true }')} }`,
      { all: { count: 30 }, parts: { count: 27 }, blocked: { count: 24 } },
    ],
  },
  {
    say: 'Split ENG-6 into "Colours", "Icons" and "Switch", with the label ui.',
    least: (call) =>
      call("plan_issues", {
        ...{ team: "ENG", parent: "ENG-6" },
        issues: ["Colours", "Icons", "Switch"].map((title) => ({ title, labels: ["ui"] })),
      }),
    state: [
      `{ ${count('parent: { id: { eq: "ENG-6" } }, labels: { some: { name: { eq: "ui" } } }')} }`,
      { issueGroups: { count: 3 } },
    ],
  },
  {
    say: "Make a red (#ff0000) label security for all teams.",
    least: (call) => call("save_label", { name: "security", color: "#ff0000" }),
    state: [
      '{ issueLabels(filter: { name: { eq: "security" } }) { nodes { color } } }',
      { issueLabels: { nodes: [{ color: "#ff0000" }] } },
    ],
  },
  {
    say: "Rename the label docs to documentation.",
    least: (call) => call("save_label", { label: "docs", name: "documentation" }),
    state: one("ENG-3", "labels { nodes { name } }", { labels: nodes("documentation") }),
  },
  {
    say: 'Make a project "Mobile" for ENG that I lead, to be done by 1 March 2031.',
    least: (call) => call("save_project", { name: "Mobile", teams: ["ENG"], lead: "me", target: "2031-03-01" }),
    state: [
      '{ projects(filter: { name: { eq: "Mobile" } }) { nodes { targetDate lead { name } teams { nodes { name } } } } }',
      {
        projects: {
          nodes: [{ targetDate: "2031-03-01", lead: named("Olive Owner"), teams: nodes("Engineering") }],
        },
      },
    ],
  },
  {
    say: "The project Search has started.",
    least: (call) => call("save_project", { project: "Search", state: "started" }),
    state: [
      '{ projects(filter: { name: { eq: "Search" } }) { nodes { state } } }',
      { projects: { nodes: [{ state: "started" }] } },
    ],
  },
  {
    say: 'Checkout has a milestone "Beta", to be reached by 1 February 2031.',
    least: (call) => call("save_milestone", { project: "Checkout", name: "Beta", target: "2031-02-01" }),
    state: [
      '{ projectMilestones(filter: { name: { eq: "Beta" } }) { nodes { targetDate project { name } } } }',
      { projectMilestones: { nodes: [{ targetDate: "2031-02-01", project: named("Checkout") }] } },
    ],
  },
  {
    say: "The milestone Alpha is to be reached by 1 December 2030.",
    least: (call) => call("save_milestone", { milestone: "Alpha", target: "2030-12-01" }),
    state: [
      "{ projectMilestones { nodes { name targetDate } } }",
      { projectMilestones: { nodes: [{ name: "Alpha", targetDate: "2030-12-01" }] } },
    ],
  },
  {
    say: 'Add a cycle "Polish" to ENG from 6 to 20 January 2031.',
    least: (call) => call("save_cycle", { team: "ENG", name: "Polish", starts: "2031-01-06", ends: "2031-01-20" }),
    state: [
      '{ cycles(filter: { name: { eq: "Polish" } }) { nodes { number endsAt } } }',
      { cycles: { nodes: [{ number: 3, endsAt: "2031-01-20T00:00:00.000Z" }] } },
    ],
  },
  {
    say: `Let the current cycle of ENG end on ${dayFromToday(5)}.`,
    least: (call) => call("save_cycle", { team: "ENG", cycle: "current", ends: dayFromToday(5) }),
    state: [
      "{ cycles(filter: { number: { eq: 1 } }) { nodes { endsAt } } }",
      { cycles: { nodes: [{ endsAt: `${dayFromToday(5)}T00:00:00.000Z` }] } },
    ],
  },
];

/** Forty tasks by their kind. Each task begins in a new scene. */
export const TASKS: Readonly<Record<string, readonly Task[]>> = {
  questions: QUESTIONS,
  "changes of one issue": CHANGES,
  "changes of several": BULK,
  plans: PLANS,
};
