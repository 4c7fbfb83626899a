import { given, type SignalAdapter } from "../kit/adapter.ts";
import { transcriptSettings } from "./settings.ts";
import { transcriptSignal } from "./transcript.ts";

const settings = transcriptSettings.meta({ description: "the transcript of a coding agent" });

export const transcriptAdapter: SignalAdapter<"transcript", typeof settings> = {
  kind: "transcript",
  settings,
  paths: ["path", "folder"],
  open: (transcript, { agent, memory }) =>
    transcriptSignal({ ...given(transcript), keys: { agent } }, memory),
};
