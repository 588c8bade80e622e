import { expect } from "chai";
import fc from "fast-check";
import { toNetworkKey } from "../../server/accounts/throttle.ts";
import { scaleRuns } from "../support/run/runs.ts";

const octet = fc.integer({ min: 0, max: 255 });
const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
const port = fc.integer({ min: 1, max: 65_535 });
const zone = fc.stringMatching(/^[a-z0-9.]{1,12}$/);

const hex = (number: number) => number.toString(16);
const pair = (high = 0, low = 0) => hex(high * 256 + low);

/** Notations of an IPv4 address, as sockets and proxies write addresses. */
const notations4 = ([a, b, c, d]: number[], at: number, name: string) => {
  const dotted = `${a}.${b}.${c}.${d}`;
  const mapped = [
    `::ffff:${dotted}`,
    `::FFFF:${dotted}`,
    `0:0:0:0:0:ffff:${dotted}`,
    `::ffff:${pair(a, b)}:${pair(c, d)}`,
    `0000:0000:0000:0000:0000:ffff:${pair(a, b)}:${pair(c, d)}`,
  ];
  return [
    ...[dotted, ` ${dotted} `, `${dotted}:${at}`, `"${dotted}:${at}"`],
    ...mapped.flatMap((one) => [one, `[${one}]`, `[${one}]:${at}`, `"[${one}]:${at}"`, `${one}%${name}`]),
    ...[`${mapped[0]}:${at}`, `[${mapped[3]}%${name}]:${at}`],
  ];
};

/** Notations of an IPv6 address. */
const notations6 = (groups: number[], at: number, name: string) => {
  const [full, compressed] = [groups.map(hex).join(":"), new URL(`http://[${groups.map(hex).join(":")}]`).hostname];
  const padded = groups.map((one) => hex(one).padStart(4, "0")).join(":");
  const bare = [full, padded, full.toUpperCase(), compressed.slice(1, -1)];
  return [
    ...bare.flatMap((one) => [one, `[${one}]`, `[${one}]:${at}`, `"[${one}]:${at}"`, `${one}%${name}`]),
    ...[`${full}:${at}`, `[${full}%${name}]:${at}`, `[${full}%25${name}]`],
  ];
};

const keysOf = (notations: string[]) => [...new Set(notations.map(toNetworkKey))];
const isMapped = (groups: number[]) => groups.slice(0, 5).every((one) => one === 0) && groups[5] === 0xffff;

describe("the rate limit key of an address behind a proxy", () => {
  it("is equal for every notation of an IPv4 address, and different for another host", () => {
    const address = fc.tuple(octet, octet, octet, octet);
    fc.assert(
      fc.property(address, address, port, zone, (one, other, at, name) => {
        const keys = keysOf(notations4(one, at, name));
        expect(keys).to.deep.equal([one.join(".")]);
        if (one.join() !== other.join()) expect(toNetworkKey(other.join("."))).to.not.equal(keys[0]);
      }),
      { numRuns: scaleRuns(2_000) },
    );
  });

  it("is equal for every notation of an IPv6 address, and shared only within its /64 network", () => {
    const address = fc.array(group, { minLength: 8, maxLength: 8 }).filter((groups) => !isMapped(groups));
    fc.assert(
      fc.property(address, fc.array(group, { minLength: 4, maxLength: 4 }), port, zone, (one, host, at, name) => {
        const neighbour = [...one.slice(0, 4), ...host];
        fc.pre(!isMapped(neighbour));
        const keys = keysOf([...notations6(one, at, name), ...notations6(neighbour, at, name)]);
        expect(keys).to.have.length(1);
        const elsewhere = [...one.slice(0, 3), one[3] === 7 ? 8 : 7, ...one.slice(4)];
        expect(toNetworkKey(elsewhere.map(hex).join(":"))).to.not.equal(keys[0]);
      }),
      { numRuns: scaleRuns(2_000) },
    );
  });

  it("is shared by all texts that are no address", () => {
    const odd = [
      "",
      "unknown",
      "_hidden",
      "localhost",
      "evil.example:80",
      "1.2.3",
      "1.2.3.4.5",
      "256.1.1.1",
      "1.2.3.4:",
    ];
    const broken = [
      "[1.2.3.4]:80",
      "[::1",
      "::1]",
      "[]",
      "1.2.3.4:port",
      "1.2.3.4:123456",
      ":::",
      "1:2:3:4:5:6:7",
      "%eth0",
    ];
    fc.assert(
      fc.property(
        fc.oneof(
          fc.constantFrom(...odd, ...broken),
          fc.string().filter((text) => !/[:.]/.test(text)),
        ),
        (text) => {
          expect(toNetworkKey(text)).to.equal("no address");
        },
      ),
      { numRuns: scaleRuns(500) },
    );
  });
});
