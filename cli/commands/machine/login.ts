import { Command, Option } from "commander";
import { logIn, makePersonalKey } from "../../api/control.ts";
import { whoIs } from "../../api/graphql.ts";
import { parseUrl } from "../../api/request.ts";
import {
  checkedKey,
  DEFAULT_URL,
  endLogin,
  forgetLogin,
  type Login,
  loginOf,
  readLogin,
  writeLogin,
} from "../../credentials/access.ts";
import { EXIT, Failure } from "../../failure.ts";
import { placesOf } from "../../files/places.ts";
import { answer, oneLine, print } from "../../output/print.ts";
import { askLine, askSecret, canAsk, readStdin } from "../../prompt.ts";

interface Options {
  email?: string;
  organization?: string;
  passwordStdin?: true;
  tokenStdin?: true;
}

const AFTER = `
Examples:
  trackway login https://trackway.example.com --email ada@example.com
  trackway login --token-stdin < key.txt
The login is kept in ~/.config/trackway/login.json, readable by you alone.
`;

/** `trackway login`: keeps who works with which server. */
export const loginCommand = (): Command =>
  new Command("login")
    .description("log in to a server, with e-mail address and password or with a personal key")
    .argument("[url]", `where Trackway answers (TRACKWAY_URL, else the last one, else ${DEFAULT_URL})`)
    .option("--email <address>", "who you are")
    .option("--organization <urlKey>", "which of your organizations to work in; by default the one last used")
    .option("--password-stdin", "read the password from standard input")
    .addOption(new Option("--token-stdin", "read a personal key (trk_api_...) from standard input").conflicts("email"))
    .addHelpText("after", AFTER)
    .action(logInHere);

async function logInHere(address: string | undefined, options: Options): Promise<void> {
  const places = placesOf();
  const before = await readLogin(places).catch(() => undefined);
  const url = await chooseUrl(address ?? places.env["TRACKWAY_URL"], before?.url);
  const login = options.tokenStdin ? await byToken(url) : await byPassword(url, options);
  const { viewer, organization } = await whoIs(login);
  if (before) await endLogin(places, before).catch(() => {});
  await writeLogin(places, { ...login, organization: organization.urlKey });
  print(oneLine(`Logged in to ${url} as ${viewer.name} <${viewer.email}> in ${organization.name}.`));
}

async function chooseUrl(given: string | undefined, last: string | undefined): Promise<string> {
  const usual = last ?? DEFAULT_URL;
  if (given) return parseUrl(given);
  return parseUrl(canAsk() ? await askLine("Where does Trackway answer?", "trackway login URL", usual) : usual);
}

async function byToken(url: string): Promise<Login> {
  return {
    url,
    organization: "",
    apiKey: checkedKey("TRACKWAY_API_KEY", await readStdin("trackway login --token-stdin < key.txt")),
  };
}

/** Logs in and makes a personal key: unlike tokens, many processes can use it at once. */
async function byPassword(url: string, options: Options): Promise<Login> {
  const email =
    options.email ?? (await askLine("E-mail address?", "trackway login --email ada@example.com --password-stdin"));
  const password = await passwordFrom(options);
  const { organization } = options;
  const tokens = await logIn(url, { email, password, ...(organization && { organization }) });
  const { id, key } = await makePersonalKey(url, tokens.accessToken, "trackway login").catch((error) => {
    if (error instanceof Failure && error.exit === EXIT.noAccess)
      throw new Failure(`${error.message}`, {
        exit: EXIT.noAccess,
        cure: `make or join an organization at ${url}/settings`,
      });
    throw error;
  });
  return { url, organization: "", apiKey: key, apiKeyId: id, refreshToken: tokens.refreshToken };
}

async function passwordFrom({ passwordStdin }: Options): Promise<string> {
  if (passwordStdin) return readStdin("trackway login --password-stdin < password.txt");
  return process.env["TRACKWAY_PASSWORD"] || askSecret("Password?", "--password-stdin, or TRACKWAY_PASSWORD");
}

/** `trackway logout`: ends the login on the server, and forgets it here whether or not the server answers. */
export const logoutCommand = (): Command =>
  new Command("logout").description("end the login and forget it on this machine").action(logOutHere);

async function logOutHere(): Promise<void> {
  const places = placesOf();
  const login = await readLogin(places);
  if (!login) {
    print("Nobody was logged in.");
    return;
  }
  const left = await endLogin(places, login).catch((error: Error) => error);
  await forgetLogin(places);
  if (left)
    throw new Failure(`Forgotten here, but its key counts on (${left.message}).`, {
      cure: `delete it at ${login.url}/settings`,
    });
  print(`Logged out of ${login.url}.`);
}

/** `trackway whoami`: whose key is used, and where. */
export const whoamiCommand = (): Command =>
  new Command("whoami")
    .description("say whose key is used, in which organization, on which server")
    .option("--json", "as JSON")
    .action(async ({ json }: { json?: true }) => {
      const login = await loginOf(placesOf());
      const { viewer, organization } = await whoIs(login);
      const line = `${viewer.name} <${viewer.email}> in ${organization.name} (${organization.urlKey}) at ${login.url}`;
      answer(json, { url: login.url, viewer, organization }, () => [oneLine(line)]);
    });
