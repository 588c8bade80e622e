import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The answer at a path. */
export type Page = (response: ServerResponse, request: IncomingMessage) => void;

/** Descriptions of programs, over https on this computer. */
export interface Documents {
  /** https://localhost:port */
  url: string;
  /** The file of the authority that signed its certificate. */
  authority: string;
  pages: Map<string, Page>;
  /** Paths that were asked for. */
  asked: string[];
  close(): void;
}

/** A page that is JSON. */
export const json =
  (value: unknown): Page =>
  (response) =>
    void response.setHeader("content-type", "application/json").end(JSON.stringify(value));

/** Starts a server of documents, with a certificate made for it. */
export async function startDocuments(): Promise<Documents> {
  const folder = mkdtempSync(join(tmpdir(), "trackway-documents-"));
  const [key, authority] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const made = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ${key} -out ${authority} -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1`;
  execFileSync("openssl", made.split(" "), { stdio: "ignore" });
  const pages = new Map<string, Page>();
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
