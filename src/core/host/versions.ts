/** How many minor versions a host may be behind its hub. */
const BEHIND = 2;

/** Whether a hub takes a host: the same major version, and a minor one that is not newer and at most two older. */
export function canTalk(hub: string, host: string): boolean {
  const [hubMajor, hubMinor] = numbersOf(hub);
  const [major, minor] = numbersOf(host);
  return major === hubMajor && minor <= hubMinor && minor >= hubMinor - BEHIND;
}

function numbersOf(version: string): readonly [number, number] {
  const [major = "", minor = ""] = version.split(".");
  return [Number.parseInt(major, 10), Number.parseInt(minor, 10)];
}
