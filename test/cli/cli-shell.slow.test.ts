import { execFile } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import { type CliUser, createCliUser } from "../support/cli/cli.ts";
import { createOrganization, type Tenant } from "../support/server.ts";

interface Said {
  code: number;
  out: string;
  err: string;
}

/** Creates a shell of a user with the CLI on the path, an editor that writes, and a browser that notes the address. */
function shellIn(person: CliUser, { url, apiKey }: Tenant): (line: string, folder?: string) => Promise<Said> {
  const program = (name: string, lines: string) => {
    person.write(`bin/${name}`, `#!/bin/sh\n${lines}\n`);
    chmodSync(person.path(`bin/${name}`), 0o755);
  };
  program("trackway", `exec '${process.execPath}' '${resolve("cli/bin.js")}' "$@"`);
  program("writer", `printf '%s\\n' "$WRITES" > "$2"; test "$1" = --wait`);
  program(
    "browser",
    `printf '%s' "$1" > '${person.path("opened")}.part'; mv '${person.path("opened")}.part' '${person.path("opened")}'`,
  );
  const env = {
    ...{ HOME: person.home, PATH: `${person.path("bin")}:${dirname(process.execPath)}:/usr/bin:/bin` },
    ...{ TRACKWAY_URL: url, TRACKWAY_API_KEY: apiKey, EDITOR: "writer --wait", BROWSER: person.path("bin/browser") },
  };
  return (line, folder = person.home) =>
    promisify(execFile)("sh", ["-c", line], { cwd: folder, env }).then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout, err: stderr }),
      ({ code, stdout, stderr }) => ({ code, out: stdout, err: stderr }),
    );
}

/** Shell command line, expected exit code, and pattern of the output on either stream. */
type Line = [line: string, code: number, says: RegExp];

const PLANS: Line[] = [
  ["trackway create Early", 2, /There is no team yet\. try: trackway team create Engineering --key ENG$/m],
  ["trackway team create Engineering --key ENG", 0, /^Created team Engineering key ENG$/m],
  ["trackway team create Platform --key PLAT --json", 0, /^\{"team":\{"id":"[^"]+","name":"Platform","key":"PLAT",/],
  ["trackway team edit PLAT --name Foundations", 0, /^Changed team Foundations key PLAT$/m],
  ["trackway team list --limit 1", 0, /^Foundations key PLAT\nmore: the same with --after /],
  [
    "trackway label create bug && trackway label create slow --team ENG --color '#d1495b'",
    0,
    /^Created label slow team ENG/m,
  ],
  ["trackway label edit bug --name defect", 0, /^Changed label defect /],
  ["trackway label list --team ENG --json", 0, /^\{"labels":\[\{"id":"[^"]+","name":"slow","team":"ENG",/],
  ["trackway project create Launch", 2, /Several teams exist: [^.]+\. try: --team /],
  [
    "trackway project create Launch --team ENG --lead me --target 2027-03-31",
    0,
    /^Created project Launch .*target 2027-03-31/,
  ],
  [
    "trackway project edit launch --target none --description 'Go.'",
    0,
    /^Changed project Launch state \w+, lead [^,]+, progress 0 %$/m,
  ],
  ["trackway project edit launch --status started", 0, /^Changed project Launch state started/],
  ["trackway project edit launch --status sunny", 3, /There is no status "sunny"\. try: one of /],
  ["trackway project list --team ENG", 0, /^Launch /],
  [
    "trackway cycle create --starts 2000-01-03 --ends 2100-01-03 --team ENG",
    0,
    /^Created cycle number 1, team ENG, starts 2000-01-03, ends 2100-01-03, active/,
  ],
  ["trackway cycle edit current --team ENG --name Sprint", 0, /^Changed cycle Sprint number 1/],
  ["trackway cycle list --team ENG", 0, /^Sprint number 1/],
  ["trackway cycle create --team ENG", 2, /--starts is missing\. try: --starts <date>$/m],
  [
    "trackway milestone create Alpha --project Launch --target 2027-02-01",
    0,
    /^Created milestone Alpha project Launch, target 2027-02-01$/m,
  ],
  ["trackway milestone edit alpha --name Beta", 0, /^Changed milestone Beta /],
  ["trackway milestone list --project Launch", 0, /^Beta project Launch/],
  ["trackway milestone edit Gamma --name Delta", 3, /There is no milestone "Gamma"\. try: one of Beta$/m],
];

const WORK: Line[] = [
  ['for n in 1 2 3 4; do trackway create "Login $n" --label defect --project Launch; done', 0, /^Created ENG-4 /m],
  [
    "WRITES=\"$(printf 'From an editor\\n\\nTwo lines.')\" trackway create --editor",
    0,
    /^Created ENG-5 \[\w+\] From an editor$/m,
  ],
  ["trackway show ENG-5", 0, /^Two lines\.$/m],
  ["WRITES='Rewritten' trackway update ENG-5 -e", 0, /^Updated ENG-5 \[\w+\] Rewritten$/m],
  ["trackway start ENG-1", 0, /^Started ENG-1 \[In Progress\] Login 1 @/],
  ["trackway list --mine", 0, /^ENG-1 \[In Progress\] Login 1 @[^\n]+#defect\n$/],
  ["trackway list --mine --state 'in progress' --label defect --assignee me --project launch", 0, /^ENG-1 [^\n]+\n$/],
  ["trackway list --state sunny", 3, /There is no state "sunny"\. try: one of /],
  ["trackway list --cycle current --count", 0, /^0\n$/],
  ["trackway list --assignee none --cycle none --count", 0, /^4\n$/],
  ["trackway update ENG-1 --milestone beta", 0, /^Updated ENG-1 /],
  ["trackway show ENG-1", 0, /^project: Launch\nmilestone: Beta\n/m],
  ["trackway list --milestone BETA", 0, /^ENG-1 [^\n]+\n$/],
  ["trackway list --count --group-by milestone", 0, /^4 none\n1 Beta \(Launch\)\n$/],
  ["trackway history ENG-1", 0, / milestone Beta$/m],
  ["trackway update ENG-5 --milestone Beta", 2, /Beta belongs to another project than the issue/],
  ["trackway update ENG-1 --milestone Gamma", 3, /There is no milestone "Gamma"\. try: one of Beta$/m],
  ["trackway update ENG-1 --milestone none && trackway list --milestone beta --count", 0, /^0\n$/m],
  ["trackway list --count --group-by project", 0, /^4 Launch\n1 none\n$/],
  ["trackway list --group-by state --limit 2", 0, /^\w[^\n]*:\n {2}ENG-\d [\s\S]*the same with --after /],
  ["trackway close ENG-1 ENG-2 --message 'Both.'", 0, /^Done: ENG-1 [^\n]+\nDone: ENG-2 [^\n]+\n$/],
  [
    "trackway close ENG-3 ENG-77 --json",
    3,
    /^\{"issues":\[\{"id":"ENG-3".*"failed":\[\{"id":"ENG-77","error":"There is no issue ENG-77\."/,
  ],
  [`trackway close $(seq -f 'ENG-%g' 1 51)`, 2, /The maximum is 50 issues per call/],
  [
    "trackway list --closed 7d --json id,state",
    0,
    /^\{"issues":\[(\{"id":"ENG-\d","state":"Done"\},?){3}\],"next":null\}\n$/,
  ],
  ["trackway list --all --count && trackway list --count", 0, /^5\n2\n$/],
  ["trackway list --json id,nope", 2, /Use some of id, title,/],
  [
    "trackway reopen ENG-1 ENG-4",
    4,
    /^Reopened ENG-1 [\s\S]*trackway: ENG-4 is already open\. try: trackway show ENG-4\n$/,
  ],
  ["trackway delete ENG-2", 2, /there is no terminal for the answer\. try: --yes$/m],
  [
    "trackway delete ENG-2 --yes && trackway list --all --count && trackway reopen ENG-2",
    0,
    /^Deleted ENG-2 [^\n]+\n4\nRestored ENG-2 /,
  ],
  ["trackway update ENG-1 --blocked-by ENG-4", 0, /^Updated ENG-1/],
  [
    "trackway update ENG-4 --blocked-by ENG-1",
    4,
    /in a circle: [^.]+\. try: trackway unlink ISSUE OTHER, for two of these issues$/m,
  ],
  ["trackway unlink ENG-4 ENG-1", 0, /^Unlinked ENG-4 and ENG-1: blocks\.$/m],
  [
    "trackway comment ENG-1 Once && trackway comment ENG-1 --edit last Twice && trackway show ENG-1",
    0,
    /^Changed a comment on ENG-1\.$[\s\S]*^Twice$/m,
  ],
  ["WRITES='Written at length' trackway comment ENG-1 --editor && trackway show ENG-1", 0, /^Written at length$/m],
  ["trackway history ENG-1 --json", 0, /^\{"changes":\[\{"id":.*\{"field":"state","from":"In Progress","to":"Done"\}/],
  ["trackway history ENG-1", 0, /issue\.updated [^\n]*state In Progress → Done/],
  [
    "trackway open ENG-1 && until test -s opened; do sleep 0.1; done && cat opened",
    0,
    /^(https?:\S+\/issue\/ENG-1\/\S*)\n\1$/,
  ],
  ['trackway show " $(trackway open ENG-1) "', 0, /^ENG-1 /],
  [
    'trackway update ENG-4 --related-to "$(trackway open ENG-1)" --parent "$(trackway open ENG-3)"',
    0,
    /^Updated ENG-4 /,
  ],
  [
    "trackway show ENG-77 --json",
    3,
    /^\{"error":"There is no issue ENG-77\.","try":"trackway search WORDS","exit":3\}\n$/,
  ],
  [
    "trackway list --json --nope",
    2,
    /^\{"error":"Unknown option '--nope'[^"]*","try":"trackway list --help","exit":2\}\n$/,
  ],
  ["trackway view ENG-1", 2, /Unknown command "view"\. try: trackway show ISSUE$/m],
  ["trackway create X --body Y", 2, /try: --description, or the text of a comment$/m],
  ["trackway issue list", 2, /try: trackway list, show, create, update or close$/m],
];

const inFolder = (url: string): [settings: string, ...Line][] => [
  ['{"team": "PLAT", "proof": {"commands": ["npm test"]}}', "trackway create Here", 0, /^Created PLAT-1 /],
  [JSON.stringify({ team: "PLAT", server: url }), "trackway list --count", 0, /^1\n$/],
  [
    '{"team": "PLAT", "server": "https://elsewhere.example"}',
    "trackway list --count",
    0,
    /^4\n.*is ignored: it is for .*, and the login is for /s,
  ],
  ['{"team": 7}', "trackway list", 2, /\.trackway\.json cannot be used \(team and server must be strings\)/],
];

describe("the command line in a shell", () => {
  // Each line needs one or more processes, and the machine may be busy.

  it("plans, lists, changes and undoes with the commands that users expect", async () => {
    const tenant = await createOrganization();
    const person = createCliUser();
    const run = shellIn(person, tenant);
    const check = async (line: string, code: number, says: RegExp, folder?: string) => {
      const said = await run(line, folder);
      expect(said.code, `${line}: ${said.out}${said.err}`).to.equal(code);
      expect(said.out + said.err, line).to.match(says);
    };
    for (const [line, code, says] of PLANS) await check(line, code, says);
    // The lines below name no team. The settings of the folder do.
    person.write(".trackway.json", '{"team": "ENG"}');
    for (const [line, code, says] of WORK) await check(line, code, says);
    for (const [settings, line, code, says] of inFolder(tenant.url)) {
      person.write("repository/.trackway.json", settings);
      mkdirSync(person.path("repository/below"), { recursive: true });
      await check(line, code, says, person.path("repository/below"));
    }
  });
});
