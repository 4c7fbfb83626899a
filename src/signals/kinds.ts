/** The signals that an agent may name, in the order in which they are looked at: their keys in the config. */
export const SIGNAL_KINDS = ["process", "systemd", "tmux", "log", "transcript", "http"] as const;
