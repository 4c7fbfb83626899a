import { ConfigError } from "./config-error.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Reads `127.0.0.1:7766`, `[::1]:7766`, `localhost:0` or `:7766`; others may be reached from elsewhere. */
export function parseListen(text: string, from: string): Address {
  const address = readListen(text);
  if (address !== undefined) return address;
  throw new ConfigError(from, [`listen: expected an address such as 127.0.0.1:7766, not "${text}"`]);
}

/** The same; undefined for anything else. */
export function readListen(text: string): Address | undefined {
  const form = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(form?.[3]);
  return form === null || port > 65535 ? undefined : { host: form[1] || form[2] || "127.0.0.1", port };
}

/** An address that outranks `listen` in the config, and what named it. */
export interface GivenListen {
  readonly listen: string;
  readonly by: "--listen" | "ROLLCALL_LISTEN";
}

export function givenListen(named: string | undefined): GivenListen | undefined {
  if (named !== undefined) return { listen: named, by: "--listen" };
  const env = process.env.ROLLCALL_LISTEN;
  return env === undefined || env === "" ? undefined : { listen: env, by: "ROLLCALL_LISTEN" };
}

/** Where a daemon listens: by `--listen`, by `ROLLCALL_LISTEN`, or by its config. */
export function listenAddress(
  named: string | undefined,
  config: { readonly listen: string; readonly file: string | undefined },
): Address {
  const given = givenListen(named);
  return given === undefined
    ? parseListen(config.listen, config.file ?? "the default")
    : parseListen(given.listen, given.by);
}
