import { readFileSync } from "node:fs";
import { realpath } from "node:fs/promises";
import type { Instant } from "../core/duration.ts";

/**
 * Which paths never lead to another machine. There a question cannot hang for longer than a disk takes, so it may be
 * asked without a promise.
 */
export interface LocalPaths {
  /** Changes when a file system that may hang comes or goes; undefined where that cannot be known. */
  version(now: Instant): number | undefined;
  /** True if neither the path nor anything on the way to it is, or leads by a symbolic link, elsewhere. */
  isLocal(path: string): Promise<boolean>;
}

/** File systems that need no answer from anybody: on disks, in memory, and the kernel's own. */
const LOCAL = new Set(
  [
    "ext2 ext3 ext4 xfs btrfs zfs f2fs bcachefs jfs nilfs2 reiserfs vfat exfat ntfs3 iso9660 squashfs erofs",
    "tmpfs ramfs rootfs devtmpfs overlay aufs hugetlbfs",
    "proc sysfs cgroup cgroup2 devpts mqueue nsfs securityfs pstore bpf tracefs debugfs configfs fusectl",
    "binfmt_misc efivarfs rpc_pipefs selinuxfs",
  ].flatMap((types) => types.split(" ")),
);

/** How often it is looked whether something was mounted. */
const READ_AGAIN = 1_000;

export function openLocalPaths(mounts = "/proc/self/mounts"): LocalPaths {
  let readAt = Number.NaN;
  let far: readonly string[] | undefined;
  let version = 0;

  const refresh = (now: Instant): void => {
    const age = now - readAt;
    if (age >= 0 && age < READ_AGAIN) return;
    readAt = now;
    const next = farIn(mounts);
    if (next?.join("\n") === far?.join("\n")) return;
    far = next;
    version += 1;
  };

  return {
    version(now) {
      refresh(now);
      return far === undefined ? undefined : version;
    },
    async isLocal(path) {
      const known = far;
      if (known === undefined || known.some((mount) => isWithin(path, mount))) return false;
      return (await realpath(path).catch(() => undefined)) === path;
    },
  };
}

/** Where everything is mounted that is not surely local. */
function farIn(mounts: string): readonly string[] | undefined {
  let text: string;
  try {
    text = readFileSync(mounts, "utf8");
  } catch {
    return undefined;
  }
  return text.split("\n").flatMap((line) => {
    const [, where, type] = line.split(" ");
    return where === undefined || type === undefined || LOCAL.has(type) ? [] : [unescaped(where)];
  });
}

/** Spaces and the like stand as octal numbers there. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
