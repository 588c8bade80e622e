import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** Email that the tests' SMTP server accepted. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers, unfolded, by name in lower case. A repeated header has a list. */
  headers: Record<string, string>;
  /** Header lines as received. */
  head: string[];
  raw: string;
  /** Decoded parts of the body. */
  text: string;
  html: string;
  at: number;
}

/** SMTP server on loopback with the accepted emails. */
export interface MailReceiver {
  host: string;
  port: number;
  mails: ReceivedMail[];
  /** Reply codes for the next emails. The server refuses an email with each code, then accepts emails again. */
  refusals: number[];
  /** User names and passwords with which clients signed in. */
  logins: { username: string; password: string }[];
  until(done: (mails: ReceivedMail[]) => boolean): Promise<ReceivedMail[]>;
  close(): Promise<void>;
}

const open: MailReceiver[] = [];

/** Closes every SMTP server. Each file that starts a server calls the function in an `after` hook. */
export const closeMailReceivers = async (): Promise<void> => {
  await Promise.all(open.splice(0).map((one) => one.close()));
};

/** Starts a real SMTP server. With `port`, restarts a server that was closed. */
export async function startMailReceiver(options: SMTPServerOptions & { port?: number } = {}): Promise<MailReceiver> {
  const mails: ReceivedMail[] = [];
  const refusals: number[] = [];
  const logins: MailReceiver["logins"] = [];
  const { port = 0, ...rest } = options;
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ["STARTTLS"], allowInsecureAuth: true, disableReverseLookup: true },
    onAuth({ username, password }, _session, callback) {
      logins.push({ username: username ?? "", password: password ?? "" });
      callback(null, { user: username ?? "" });
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const responseCode = refusals.shift();
        if (responseCode) return callback(Object.assign(new Error("not now"), { responseCode }));
        const { mailFrom, rcptTo } = session.envelope;
        const to = rcptTo.map(({ address }) => address);
        mails.push(parsed(Buffer.concat(chunks).toString(), { from: mailFrom ? mailFrom.address : "", to }));
        callback();
      });
    },
    ...rest,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const receiver: MailReceiver = {
    host: "127.0.0.1",
    port: (server.server.address() as AddressInfo).port,
    ...{ mails, refusals, logins },
    async until(done) {
      while (!done(mails)) await new Promise((resume) => setTimeout(resume, 20));
      return mails;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  open.push(receiver);
  return receiver;
}

function parsed(raw: string, envelope: { from: string; to: string[] }): ReceivedMail {
  const end = raw.indexOf("\r\n\r\n");
  const head = raw.slice(0, end).split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of raw
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, " ")
    .split("\r\n")) {
    const [, name = "", value = ""] = /^([^:]+):\s*(.*)$/.exec(line) ?? [];
    headers[name.toLowerCase()] = decodedWords(value);
  }
  const boundary = /boundary="?([^";]+)"?/.exec(headers["content-type"] ?? "")?.[1];
  const parts = boundary ? raw.slice(end).split(`--${boundary}`) : [];
  const partOf = (type: string) => decodedPart(parts.find((part) => part.includes(`Content-Type: ${type}`)) ?? "");
  return { ...envelope, headers, head, raw, text: partOf("text/plain"), html: partOf("text/html"), at: Date.now() };
}

/** Decodes the encoded words of a header (RFC 2047). */
const decodedWords = (value: string): string =>
  value
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_whole, kind: string, text: string) =>
      kind.toUpperCase() === "B" ? Buffer.from(text, "base64").toString() : fromQuoted(text.replaceAll("_", " ")),
    );

function decodedPart(part: string): string {
  const end = part.indexOf("\r\n\r\n");
  const [head, body] = [part.slice(0, end), part.slice(end + 4)];
  if (/base64/i.test(head)) return Buffer.from(body, "base64").toString();
  return /quoted-printable/i.test(head) ? fromQuoted(body.replace(/=\r\n/g, "")) : body;
}

const fromQuoted = (text: string): string =>
  Buffer.from(
    text.replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString();
