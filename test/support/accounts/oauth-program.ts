import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import type { Browser, Page } from "playwright-core";
import type { Tenant } from "../server.ts";

/** OAuth app that knows only the MCP endpoint, connected through the SDK. */
export interface ConnectedApp {
  client: Client;
  provider: OAuthClientProvider & { stored: { client?: StoredOAuthClientInformation; tokens?: StoredOAuthTokens } };
  /** Text of the consent page. */
  page: string;
  close(): Promise<void>;
}

interface Options {
  mcp: string;
  browser: Browser;
  tenant: Pick<Tenant, "email" | "password">;
  /** URL of the app's client metadata document. Without a URL, the app registers dynamically. */
  metadataUrl?: string;
  /** Labels of checkboxes that the user toggles before allowing access. */
  changed?: string[];
}

/** Starts a listener on loopback for the redirect of the browser, as native apps do. */
export async function startCallbackListener(): Promise<{
  uri: string;
  arrived: Promise<URLSearchParams>;
  close(): void;
}> {
  let arrive: (parameters: URLSearchParams) => void = () => {};
  const arrived = new Promise<URLSearchParams>((resolve) => {
    arrive = resolve;
  });
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    response.end("You may close this page.");
    if (pathname === "/callback") arrive(searchParams);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  return { uri, arrived, close: () => void server.close() };
}

function providerFor(redirectUrl: string, { metadataUrl }: Options) {
  const stored: ConnectedApp["provider"]["stored"] = {};
  let verifier = "";
  let asked: URL | undefined;
  let discovery: OAuthDiscoveryState | undefined;
  const provider = {
    stored,
    redirectUrl,
    ...(metadataUrl && { clientMetadataUrl: metadataUrl }),
    clientMetadata: { client_name: "A program of the SDK", redirect_uris: [redirectUrl] },
    state: () => "the program's state",
    clientInformation: () => stored.client,
    saveClientInformation: (client: StoredOAuthClientInformation) => {
      stored.client = client;
    },
    tokens: () => stored.tokens,
    saveTokens: (tokens: StoredOAuthTokens) => {
      stored.tokens = tokens;
    },
    redirectToAuthorization: (url: URL) => {
      asked = url;
    },
    saveCodeVerifier: (text: string) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    discoveryState: () => discovery,
    saveDiscoveryState: (state: OAuthDiscoveryState) => {
      discovery = state;
    },
  };
  return { provider, asked: () => asked };
}

/** Connects an app that knows only the MCP endpoint: discovery, consent in a browser, tokens, and an MCP client. */
export async function connectApp(options: Options): Promise<ConnectedApp> {
  const callback = await startCallbackListener();
  const { provider, asked } = providerFor(callback.uri, options);
  const transport = () => new StreamableHTTPClientTransport(new URL(options.mcp), { authProvider: provider });
  const client = () => new Client({ name: "tests", version: "1.0.0" });
  const first = transport();
  const refused = await client()
    .connect(first)
    .then(
      () => undefined,
      (error) => error,
    );
  if (!(refused instanceof UnauthorizedError)) throw refused ?? new Error("MCP took a program without a token");
  const page = await consent(options, asked());
  const parameters = await callback.arrived;
  callback.close();
  if (parameters.get("state") !== "the program's state") throw new Error(String(parameters));
  await first.finishAuth(parameters);
  const connected = client();
  await connected.connect(transport());
  return { client: connected, provider, page, close: () => connected.close() };
}

/** Signs in on the consent page and allows the requested access. Returns the text of the page. */
async function consent({ browser, tenant, changed = [] }: Options, address: URL | undefined): Promise<string> {
  if (!address) throw new Error("the program was led nowhere");
  const page = await browser.newPage();
  await page.goto(address.href);
  await page.getByLabel("Email").fill(tenant.email);
  await page.getByLabel("Password").fill(tenant.password);
  await page.getByRole("button", { name: "Sign in" }).click();
  const shown = await decideOnPage(page, "Allow", changed);
  await page.getByText("You may close this page.").waitFor();
  await page.close();
  return shown;
}

/** Decides on the consent page. Returns the text of the page. */
export async function decideOnPage(page: Page, decision: "Allow" | "Deny", changed: string[] = []): Promise<string> {
  const button = page.getByRole("button", { name: decision });
  const problem = page.getByRole("alert");
  await button.or(problem).first().waitFor();
  if (await problem.isVisible()) throw new Error(await problem.innerText());
  for (const name of changed) await page.getByRole("checkbox", { name: new RegExp(`^${name}`) }).click();
  const shown = await page.getByRole("main").innerText();
  await button.click();
  return shown;
}
