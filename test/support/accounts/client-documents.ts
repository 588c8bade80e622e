import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Handler that writes the response at one path. */
export type PageHandler = (response: ServerResponse, request: IncomingMessage) => void;

/** HTTPS server on loopback that serves client metadata documents of OAuth apps. */
export interface DocumentServer {
  /** Base URL: `https://localhost:PORT`. */
  url: string;
  /** Path of the PEM file of the authority that signed the server's certificate. */
  authority: string;
  pages: Map<string, PageHandler>;
  /** Requested paths, in order. */
  asked: string[];
  close(): void;
}

/** Returns a page that responds with a value as JSON. */
export const jsonPage =
  (value: unknown): PageHandler =>
  (response) =>
    void response.setHeader("content-type", "application/json").end(JSON.stringify(value));

/** Starts the HTTPS server with a new certificate. */
export async function startDocumentServer(): Promise<DocumentServer> {
  const folder = mkdtempSync(join(tmpdir(), "trackway-documents-"));
  const [key, authority] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const made = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ${key} -out ${authority} -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1`;
  execFileSync("openssl", made.split(" "), { stdio: "ignore" });
  const pages = new Map<string, PageHandler>();
  const asked: string[] = [];
  const server = createServer({ key: readFileSync(key), cert: readFileSync(authority) }, (request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const page = pages.get(path);
    if (page) page(response, request);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, authority, pages, asked, close };
}
