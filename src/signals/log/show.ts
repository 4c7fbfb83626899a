import type { Instant } from "../../core/duration.ts";
import type { Screen } from "../../core/screen/screen.ts";
import { NothingToShow } from "../../ports/signal.ts";
import { ScreenProblem } from "../screens/screens.ts";
import { type FeedSettings, LOOK_BACK, type Modes, openFeed, wholeFrom } from "./feed.ts";

const RAW = 64 * 1024;

/** What a person would see of the log: its screen, or for a plain log its last lines; or the bytes as they are. */
export async function showLog(
  settings: FeedSettings & { plain: boolean },
  how: "screen" | "raw",
  now: Instant,
  screen: Screen | undefined,
  modes: Modes | undefined,
): Promise<string> {
  const { log, plain } = settings;
  if (how === "screen" && screen !== undefined) return textOf(screen);
  const file = await log.find(now);
  if ("problem" in file) throw new NothingToShow(file.problem);
  if (how === "raw" || plain) {
    const tail = await log.tail(file, RAW);
    if ("problem" in tail) throw new NothingToShow(tail.problem);
    const from = file.size > RAW ? wholeFrom(tail.bytes) : 0;
    return new TextDecoder().decode(tail.bytes.subarray(from));
  }
  const feed = openFeed(settings);
  const from = Math.max(0, file.size - LOOK_BACK);
  const drawn = await feed
    .draw(file, from, file.size, new AbortController().signal, modes)
    .catch((error: unknown) => {
      throw error instanceof ScreenProblem ? new NothingToShow(error.message) : error;
    });
  feed.drop();
  if ("problem" in drawn) throw new NothingToShow(drawn.problem);
  return "screen" in drawn
    ? textOf(drawn.screen)
    : `the log ${file.path} was replaced while Rollcall read it; try again`;
}

function textOf({ rows }: Screen): string {
  return rows.join("\n").trimEnd();
}
