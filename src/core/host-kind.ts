/** What kind of machine a host is: it decides what its silence means. */
export const HOST_KINDS = ["server", "laptop", "ephemeral"] as const;
export type HostKind = (typeof HOST_KINDS)[number];
