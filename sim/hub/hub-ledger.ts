import type { Delivery } from "../../src/core/delivery/delivery.ts";
import type { KnownHost } from "../../src/core/host/host.ts";
import type { Incident } from "../../src/core/incident/incident.ts";
import type { Changes } from "../../src/ports/store.ts";

/** What the hub's commits say, one after the other. */
export class HubLedger {
  readonly hosts = new Map<string, KnownHost>();
  readonly incidents = new Map<string, Incident>();
  readonly deliveries = new Map<string, Delivery>();
  /** The incidents that a message was written about. */
  readonly told = new Set<string>();
  /** The incidents that another one spoke for. */
  readonly spokenFor = new Set<string>();

  clear(): void {
    for (const each of [this.hosts, this.incidents, this.deliveries, this.told, this.spokenFor]) each.clear();
  }

  apply({ records = [], incidents = [], deliveries = [] }: Changes): void {
    for (const record of records) if (record.kind === "host") this.hosts.set(record.id, record.body);
    for (const { incident } of incidents) {
      this.incidents.set(incident.id, incident);
      if (incident.spokenForBy !== undefined) this.spokenFor.add(incident.id);
    }
    for (const delivery of deliveries) {
      this.deliveries.set(delivery.key, delivery);
      if (delivery.incident !== undefined) this.told.add(delivery.incident);
    }
  }
}
