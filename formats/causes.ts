/**
 * Explanations of failures by error code, each with a fix if one is known. All programs take their advice from this
 * file. Codes without a known fix are left out, because wrong advice misleads users.
 */

/** Reason of a failure, as a clause without a full stop, and the fix if one is known. */
export interface FailureCause {
  what: string;
  cure?: string | undefined;
}

/** Server or database that a program tried to reach. */
interface Target {
  /** Variable or option that contains the address of the target. */
  variable: string;
  /** Fix to suggest when nothing listens at the address. */
  start: string;
  /**
   * True for a database. The suggested fixes then name URL parameters, because database clients configure certificate
   * checks with URL parameters.
   */
  isDatabase?: boolean;
}

type Entry = (target: Target) => FailureCause;

const TRUST = "NODE_EXTRA_CA_CERTS=FILE with the certificate of its authority";
const LIBPQ = "or uselibpqcompat=true&sslmode=require to encrypt without verifying it, as libpq does";

const untrusted: Entry = ({ variable, isDatabase }) => ({
  what: "this machine does not trust the server's certificate",
  cure: isDatabase
    ? `add sslrootcert=FILE with that certificate to ${variable}, or set ${TRUST}; ${LIBPQ}`
    : `set ${TRUST}`,
});
const invalid: Entry = () => ({
  what: "the server's certificate is not valid",
  cure: "replace the certificate on the server",
});
const noTls: Entry = ({ variable, isDatabase }) => ({
  what: "the server does not speak TLS",
  cure: isDatabase
    ? `turn ssl on in PostgreSQL, or on a network that you trust set sslmode=disable in ${variable}`
    : `write http:// in ${variable}, or correct its port`,
});
const noCommonTls: Entry = () => ({
  what: "the server and this program have no TLS version or cipher in common",
  cure: "allow TLS 1.2 or 1.3 on the server",
});
const network: Entry = ({ variable }) => ({
  what: "no network leads to that host",
  cure: `check the network, or correct ${variable}`,
});
const late: Entry = ({ variable }) => ({
  what: "there was no answer in time",
  cure: `check that a firewall lets the connection pass and that ${variable} is right`,
});
const closed: Entry = () => ({ what: "the connection was closed before an answer" });

/** Explanations of failed connections, by error code of the operating system, TLS or HTTP. */
const CONNECTION: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ["ECONNREFUSED", ({ start }) => ({ what: "nothing listens there", cure: start })],
  ["ENOENT", ({ start }) => ({ what: "nothing listens there", cure: start })],
  ["ENOTFOUND", ({ variable }) => ({ what: "there is no host of that name", cure: `correct the host in ${variable}` })],
  ["EAI_AGAIN", () => ({ what: "the name server does not answer", cure: "check the network and its name server" })],
  ...["EHOSTUNREACH", "ENETUNREACH", "ENETDOWN", "EHOSTDOWN"].map((code) => [code, network] as const),
  ...["ETIMEDOUT", "ABORT_ERR", "TimeoutError", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"].map(
    (code) => [code, late] as const,
  ),
  ...["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"].map((code) => [code, closed] as const),
  ...["EACCES", "EPERM"].map(
    (code) =>
      [
        code,
        () => ({ what: "the system does not allow this connection", cure: "allow this program to use the network" }),
      ] as const,
  ),
  ...[
    ...["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ...["UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "CERT_UNTRUSTED"],
  ].map((code) => [code, untrusted] as const),
  ["CERT_HAS_EXPIRED", () => ({ what: "the server's certificate has expired", cure: "renew it on the server" })],
  [
    "CERT_NOT_YET_VALID",
    () => ({ what: "the server's certificate is not valid yet", cure: "set the clocks of both machines by NTP" }),
  ],
  ...["ERR_TLS_CERT_ALTNAME_INVALID", "HOSTNAME_MISMATCH"].map(
    (code) =>
      [
        code,
        ({ variable }: Target) => ({
          what: "the server's certificate is for another host",
          cure: `write a host name of the certificate in ${variable}`,
        }),
      ] as const,
  ),
  ...["CERT_REVOKED", "CERT_SIGNATURE_FAILURE", "CERT_REJECTED", "CERT_CHAIN_TOO_LONG"].map(
    (code) => [code, invalid] as const,
  ),
  ...["INVALID_CA", "INVALID_PURPOSE", "PATH_LENGTH_EXCEEDED", "ERR_SSL_EE_KEY_TOO_SMALL"].map(
    (code) => [code, invalid] as const,
  ),
  ...["ERR_SSL_WRONG_VERSION_NUMBER", "ERR_SSL_PACKET_LENGTH_TOO_LONG", "ERR_SSL_HTTP_REQUEST"].map(
    (code) => [code, noTls] as const,
  ),
  ...[
    "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    "ERR_SSL_UNSUPPORTED_PROTOCOL",
    "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
    "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE",
  ].map((code) => [code, noCommonTls] as const),
  ...["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "ERR_SSL_TLS_ALERT_CERTIFICATE_REQUIRED"].map(
    (code) =>
      [
        code,
        () => ({
          what: "the server wants a certificate of this program",
          cure: "let this program in without a client certificate",
        }),
      ] as const,
  ),
]);

/** Explanations by SQLSTATE, for errors with which PostgreSQL rejects a connection or the first statements. */
const DATABASE: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  [
    "28P01",
    ({ variable }) => ({
      what: "PostgreSQL refuses the user or the password",
      cure: `correct the user and the password in ${variable}`,
    }),
  ],
  [
    "28000",
    ({ variable }) => ({
      what: "PostgreSQL does not let this user in from here",
      cure: `allow it in pg_hba.conf, or correct the user in ${variable}`,
    }),
  ],
  [
    "3D000",
    ({ variable }) => ({ what: "there is no database of that name", cure: `create it, or correct ${variable}` }),
  ],
  [
    "42501",
    () => ({ what: "the role lacks a right", cure: "grant it; npm run admin -- preflight names the rights needed" }),
  ],
  [
    "53300",
    () => ({
      what: "PostgreSQL has no connection left",
      cure: "lower DATABASE_POOL, or raise max_connections or the role's limit",
    }),
  ],
  ["53100", () => ({ what: "the disk of PostgreSQL is full", cure: "make room where PostgreSQL keeps its files" })],
  ["57P03", () => ({ what: "PostgreSQL is starting, stopping or recovering", cure: "wait for PostgreSQL" })],
  ...["57P01", "57P02"].map((code) => [code, () => ({ what: "PostgreSQL was stopped", cure: "start it" })] as const),
  ["25006", ({ variable }) => ({ what: "the database takes no writes", cure: `name the primary in ${variable}` })],
  [
    "55P03",
    () => ({
      what: "another process holds a lock",
      cure: "wait for it; npm run admin -- preflight names the process",
    }),
  ],
]);

/** Explanations of failures that have no error code. The message of the error identifies the failure. */
const BY_TEXT: readonly (readonly [RegExp, Entry])[] = [
  [/does not support SSL/i, noTls],
  [/wrong version number|packet length too long/i, noTls],
  [/alert handshake failure|unsupported protocol|alert protocol version/i, noCommonTls],
  [/connection timeout|timeout expired/i, late],
  [/Connection terminated|socket hang up|other side closed/i, closed],
  [
    /password must be a (?:non-empty )?string/i,
    ({ variable }) => ({ what: "PostgreSQL wants a password", cure: `put it into ${variable}` }),
  ],
];

/**
 * Returns the code of an error, or the code of its cause. `fetch` and connections to several addresses wrap the error
 * with the code in another error.
 */
export function readErrorCode(error: unknown): string {
  for (const each of chainOf(error)) {
    const code: unknown = Reflect.get(each, "code");
    if (typeof code === "string" && code !== "") return code;
    if (each.name === "TimeoutError") return each.name;
  }
  return "";
}

/** Returns an error followed by its causes, at most `most` errors in total. */
function chainOf(error: unknown, most = 5): Error[] {
  if (!(error instanceof Error) || most === 0) return [];
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  return [error, ...chainOf(inner, most - 1)];
}

/** Returns the message of the innermost cause that has a message. */
const textOf = (error: unknown): string => {
  const texts = chainOf(error).map(({ message }) => message);
  return texts.findLast((text) => text !== "") ?? String(error);
};

/**
 * Returns the reason why a program could not reach a target, and the error code. If no fix is known to help, the result
 * contains no fix.
 */
export function explainConnectionError(error: unknown, target: Target): FailureCause & { code: string } {
  const code = readErrorCode(error);
  const text = textOf(error);
  const byCode = (target.isDatabase ? DATABASE.get(code) : undefined) ?? CONNECTION.get(code);
  const entry = byCode ?? BY_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? byFamily(code);
  if (entry) return { ...entry(target), code };
  return { what: text.split("\n", 1)[0]?.slice(0, 300) ?? "", code };
}

/**
 * Returns the explanation for an error code of llhttp, Node's HTTP parser. All these codes begin with `HPE_` and mean
 * that the received bytes are not an HTTP response.
 */
function byFamily(code: string): Entry | undefined {
  if (!code.startsWith("HPE_")) return undefined;
  return ({ variable }) => ({
    what: "what answers there does not speak HTTP",
    cure: `correct the port in ${variable}, or write https:// where the server speaks TLS`,
  });
}
