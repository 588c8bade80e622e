import type { Random } from "./random.ts";

/** A secret to plant in an output: variable name and text. */
export interface Planted {
  name: string;
  text: string;
  /** True for a text with a form of its own, such as a header or an address, without a name before the text. */
  isForm: boolean;
}

/** Returns a tool output that contains the secret. */
export type Output = (planted: Planted, random: Random) => string;

const base64 = (text: string) => Buffer.from(text).toString("base64");
const lower = (name: string) => name.toLowerCase();
const quoted = (text: string) => JSON.stringify(text);
const pair = ({ name, text, isForm }: Planted, separator: string) => (isForm ? text : name + separator + text);

/** Outputs for every value, including values that only the name reveals. */
export const OUTPUTS: Readonly<Record<string, Output>> = {
  env: (p) => `NODE_ENV=production\nPORT=8080\n${pair(p, "=")}\nLOG_LEVEL=info\n`,
  "quoted env": (p) =>
    `$ cat .env.local\nAPP_NAME=shop\n${pair({ ...p, text: p.isForm ? p.text : quoted(p.text) }, "=")}\nDEBUG=0\n`,
  export: (p) => `$ history | tail -3\n  501  cd /srv/app\n  502  export ${pair(p, "=")}\n  503  npm start\n`,
  diff: (p) =>
    `diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1,3 +1,4 @@\n PORT=8080\n${text(p.isForm ? p.text : `${p.name}=${p.text}`, "+")}\n-DEBUG=1\n`,
  json: (p) => JSON.stringify({ region: "eu-west-1", ...jsonOf(p), retries: 3 }, null, 2),
  "json in json": (p) =>
    JSON.stringify({ command: "cat config.json", stdout: JSON.stringify({ debug: false, ...jsonOf(p) }), code: 0 }),
  "escaped slashes": (p) => JSON.stringify({ path: "/srv/app", ...jsonOf(p) }).replaceAll("/", "\\/"),
  yaml: (p) => `service: orders\nreplicas: 2\n${yaml(p)}\nimage: orders:1.4.2\n`,
  "docker inspect": (p) =>
    JSON.stringify(
      [{ Id: "9f1c2e", Config: { Env: ["PATH=/usr/bin", pair(p, "="), "LANG=C"] }, State: { Running: true } }],
      null,
      4,
    ),
  terraform: (p) =>
    `Outputs:\n\nregion = "eu-west-1"\n${p.isForm ? `value = ${quoted(p.text)}` : `${lower(p.name)} = ${quoted(p.text)}`}\nvpc = "vpc-main"\n`,
  "stack trace": (p) =>
    `Error: request failed\n    at connect (/srv/app/db.js:12:9)\n  config: { ${p.isForm ? `value: ${quoted(p.text)}` : `${p.name}: ${quoted(p.text)}`}, retries: 3 }\n    at main (/srv/app/index.js:4:1)`,
  log: (p) =>
    `2026-01-02T10:00:00Z INFO starting worker ${p.isForm ? p.text : `${p.name}=${p.text}`}\n2026-01-02T10:00:01Z INFO ready\n`,
};

/** Outputs for values that are recognized without a name. */
export const BARE: Readonly<Record<string, Output>> = {
  "curl -v": ({ text }) =>
    `> GET /v1/items HTTP/2\n> Host: api.example.com\n> X-Api-Key: ${text}\n> Accept: */*\n< HTTP/2 200\n`,
  "git remote": ({ text }) =>
    `origin\thttps://oauth2:${text}@git.example.com/team/app.git (fetch)\norigin\thttps://git.example.com/team/app.git (push)\n`,
  "npm log": ({ text }) =>
    `npm verb cli /usr/bin/node\nnpm verb config //registry.npmjs.org/:_authToken=${text}\nnpm info ok\n`,
  "pip log": ({ text }) => `Looking in indexes: https://__token__:${text}@pypi.example.com/simple\nCollecting flask\n`,
  "command line": ({ text }) => `$ deploy --region eu --token ${text} --verbose\nDeployed revision 14.\n`,
  prose: ({ text }) => `I found the key ${text} in the settings, and it still works. Shall I rotate it?`,
  markdown: ({ text }) => `Set it up like this:\n\n\`\`\`sh\nlogin ${text}\n\`\`\`\n\nThen run the tests.`,
  query: ({ text }) => `GET /callback?state=9&access_token=${text}&lang=en HTTP/1.1" 200 12\n`,
  python: ({ text }) => `>>> client.settings\n{'retries': 3, 'key': '${text}', 'region': 'eu'}\n`,
  colours: ({ text }) => `\u001b[32mtoken\u001b[0m \u001b[1m${text}\u001b[0m\n\u001b[32mdone\u001b[0m\n`,
};

/** Outputs that break or escape a value of a single line. */
export const CUT: Readonly<Record<string, Output>> = {
  wrapped: ({ text }, random) => `Your token is ${broken(text, "\n", random)}\nKeep it.\n`,
  "wrapped and indented": ({ text }, random) => `  token: ${broken(text, "\n    ", random)}\n  next: 1\n`,
  "wrapped in a diff": ({ text }, random) => `@@ -1 +1,2 @@\n+login ${broken(text, "\n+", random)}\n context\n`,
  "wrapped in a command": ({ text }, random) => `$ login ${broken(text, "\\\n", random)}\nok\n`,
  "wrapped in json": ({ text }, random) => JSON.stringify({ stdout: `token ${broken(text, "\n", random)}\nready` }),
  "spelled in escapes": ({ text }, random) => `{"a":1,"value":"${escaped(text, random)}","b":2}`,
};

/** A secret of Kubernetes: revealing names with base64 values. */
export const KUBECTL: Output = ({ name, text }) =>
  `apiVersion: v1\ndata:\n  ${lower(name).replaceAll("_", "-")}: ${base64(text)}\nkind: Secret\nmetadata:\n  name: app\n`;

const jsonOf = ({ name, text, isForm }: Planted) => (isForm ? { line: text } : { [name]: text });
const yaml = ({ name, text, isForm }: Planted) =>
  text.includes("\n")
    ? `${name}: |\n  ${text.replaceAll("\n", "\n  ")}`
    : isForm
      ? `value: ${quoted(text)}`
      : `${name}: ${text}`;
const text = (whole: string, mark: string) => whole.replaceAll(/^/gm, mark);

/** Returns the position at which `broken` splits a value, with at least twelve characters on each side. */
const breakOf = (length: number, random: Random) => 12 + random.below(Math.max(1, length - 24));
let lastBreak = 0;
/** Returns the position of the last split. */
export const brokenAt = () => lastBreak;
function broken(value: string, by: string, random: Random): string {
  lastBreak = breakOf(value.length, random);
  return value.slice(0, lastBreak) + by + value.slice(lastBreak);
}

/** Writes some letters as JSON escapes. */
const escaped = (value: string, random: Random) =>
  [...value]
    .map((char) => (random.below(4) === 0 ? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}` : char))
    .join("");
