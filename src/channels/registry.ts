import type { Channel } from "../ports/channel.ts";
import { type SecretDeps, type SecretPlace, type SecretReader, secretReader } from "../system/secret.ts";
import { commandChannel } from "./command/index.ts";
import { consoleChannel } from "./console/index.ts";
import { discordChannel } from "./discord/index.ts";
import { emailChannel } from "./email/index.ts";
import { ntfyChannel } from "./ntfy/index.ts";
import type { ChannelSettings } from "./settings.ts";
import { slackChannel } from "./slack/index.ts";
import { DEFAULT_TOKEN_ENV, telegramChannel } from "./telegram/index.ts";
import { webhookChannel } from "./webhook/index.ts";

/**
 * Opens a channel. Secrets are read at each attempt; one that is missing is a problem of that attempt, which names where
 * it should be, and never one of the start.
 */
export function openChannel(name: string, settings: ChannelSettings, means: SecretDeps): Channel {
  const read = (place: SecretPlace): SecretReader => named(name, secretReader(place, means));
  const maybe = (place: SecretPlace) =>
    place.env === undefined && place.file === undefined ? undefined : read(place);
  switch (settings.kind) {
    case "telegram": {
      const { tokenEnv, tokenFile } = settings;
      return telegramChannel(settings, read({ env: tokenEnv ?? DEFAULT_TOKEN_ENV, file: tokenFile }));
    }
    case "slack":
      return slackChannel(read({ env: settings.urlEnv, file: settings.urlFile }));
    case "discord":
      return discordChannel(read({ env: settings.urlEnv, file: settings.urlFile }));
    case "ntfy":
      return ntfyChannel(settings, maybe({ env: settings.tokenEnv, file: settings.tokenFile }));
    case "webhook": {
      const { url, urlEnv, urlFile, secretEnv, secretFile } = settings;
      const address = url === undefined ? read({ env: urlEnv, file: urlFile }) : known(url);
      return webhookChannel(address, read({ env: secretEnv, file: secretFile }));
    }
    case "email":
      return emailChannel(settings, {
        url: maybe({ env: settings.urlEnv, file: settings.urlFile }),
        password: maybe({ env: settings.passwordEnv, file: settings.passwordFile }),
      });
    case "console":
      return consoleChannel(process[settings.stream]);
    case "command":
      return commandChannel(settings, means.env);
  }
}

function named(name: string, read: SecretReader): SecretReader {
  return async () => {
    const found = await read();
    return "problem" in found ? { ...found, problem: `channel ${name}: ${found.problem}` } : found;
  };
}

/** An address that stands in the config, and so is no secret. */
function known(url: string): SecretReader {
  return () => Promise.resolve({ value: url, place: "url" });
}
