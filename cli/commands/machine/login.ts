import { Command, Option } from "commander";
import { createPersonalKey, requestLoginTokens } from "../../api/control.ts";
import { readViewer } from "../../api/graphql.ts";
import { normalizeServerUrl } from "../../api/request.ts";
import {
  checkLoginWritable,
  DEFAULT_URL,
  deleteLogin,
  type LoginCredentials,
  readLogin,
  requireLogin,
  revokeLogin,
  validateKey,
  writeLogin,
} from "../../credentials/access.ts";
import { CommandFailure, EXIT_CODES } from "../../failure.ts";
import { readUserEnvironment } from "../../files/places.ts";
import { printLines, printResult, toOneLine, warnOnFailure } from "../../output/print.ts";
import { askLine, askSecret, isInteractive, readStdin } from "../../prompt.ts";

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
The login is stored in ~/.config/trackway/login.json, which only you can read.
`;

/** `trackway login`: stores the server and the key of a user. */
export const createLoginCommand = (): Command =>
  new Command("login")
    .description("log in to a server with email and password, or with a personal key")
    .argument("[url]", `address of the server; default: TRACKWAY_URL, then the last server, then ${DEFAULT_URL}`)
    .option("--email <address>", "email address of your account")
    .option("--organization <urlKey>", "your organization to work in; default: the last used organization")
    .option("--password-stdin", "read the password from standard input")
    .addOption(new Option("--token-stdin", "read a personal key (trk_api_...) from standard input").conflicts("email"))
    .addHelpText("after", AFTER)
    .action(logInHere);

async function logInHere(address: string | undefined, options: Options): Promise<void> {
  const places = readUserEnvironment();
  const before = await readLogin(places).catch(() => undefined);
  const url = await chooseUrl(address ?? places.env["TRACKWAY_URL"], before?.url);
  await checkLoginWritable(places);
  const login = options.tokenStdin ? await byToken(url) : await byPassword(url, options);
  const { viewer, organization } = await readViewer(login);
  await writeLogin(places, { ...login, organization: organization.urlKey }).catch(async (error) => {
    // Revokes the new login, because its key could not be stored. Nobody could use the key, or revoke the key later.
    await revokeLogin(login).catch(() => {});
    throw error;
  });
  if (before) await revokeLogin(before).catch(() => {});
  printLines(toOneLine(`Logged in to ${url} as ${viewer.name} <${viewer.email}> in ${organization.name}.`));
}

async function chooseUrl(given: string | undefined, last: string | undefined): Promise<string> {
  const usual = last ?? DEFAULT_URL;
  if (given) return normalizeServerUrl(given);
  return normalizeServerUrl(
    isInteractive() ? await askLine("Address of the Trackway server?", "trackway login URL", usual) : usual,
  );
}

async function byToken(url: string): Promise<LoginCredentials> {
  return {
    url,
    organization: "",
    apiKey: validateKey("TRACKWAY_API_KEY", await readStdin("trackway login --token-stdin < key.txt")),
  };
}

/**
 * Logs in with a password and creates a personal key. Several processes can use a personal key at the same time, but a
 * refresh token can be exchanged only once.
 */
async function byPassword(url: string, options: Options): Promise<LoginCredentials> {
  const email =
    options.email ?? (await askLine("Email address?", "trackway login --email ada@example.com --password-stdin"));
  const password = await passwordFrom(options);
  const { organization } = options;
  const tokens = await requestLoginTokens(url, { email, password, ...(organization && { organization }) });
  const { id, key } = await createPersonalKey(url, tokens.accessToken, "trackway login").catch((error) => {
    if (error instanceof CommandFailure && error.exit === EXIT_CODES.noAccess)
      throw new CommandFailure(`${error.message}`, {
        exit: EXIT_CODES.noAccess,
        cure: `create or join an organization at ${url}/settings`,
      });
    throw error;
  });
  return { url, organization: "", apiKey: key, apiKeyId: id, refreshToken: tokens.refreshToken };
}

async function passwordFrom({ passwordStdin }: Options): Promise<string> {
  if (passwordStdin) return readStdin("trackway login --password-stdin < password.txt");
  return process.env["TRACKWAY_PASSWORD"] || askSecret("Password?", "--password-stdin, or TRACKWAY_PASSWORD");
}

/**
 * `trackway logout`: revokes the login on the server. Removes the login from this machine even if the server does not
 * respond.
 */
export const createLogoutCommand = (): Command =>
  new Command("logout").description("log out, and remove the login from this machine").action(logOutHere);

async function logOutHere(): Promise<void> {
  const places = readUserEnvironment();
  const login = await readLogin(places);
  if (!login) {
    printLines("You were not logged in.");
    return;
  }
  const left = await revokeLogin(login).catch((error: Error) => error);
  await warnOnFailure(
    deleteLogin(places),
    "The server revoked the login, but the file that stores the login could not be deleted. Delete the file.",
  );
  if (left)
    throw new CommandFailure(`The login was removed from this machine, but its key is still valid (${left.message}).`, {
      cure: `delete the key at ${login.url}/settings`,
    });
  printLines(`Logged out of ${login.url}.`);
}

/** `trackway whoami`: shows the user, the organization and the server of the current key. */
export const createWhoamiCommand = (): Command =>
  new Command("whoami")
    .description("show the current user, organization and server")
    .option("--json", "print JSON")
    .action(async ({ json }: { json?: true }) => {
      const login = await requireLogin(readUserEnvironment());
      const { viewer, organization } = await readViewer(login);
      const line = `${viewer.name} <${viewer.email}> in ${organization.name} (${organization.urlKey}) at ${login.url}`;
      printResult(json, { url: login.url, viewer, organization }, () => [toOneLine(line)]);
    });
