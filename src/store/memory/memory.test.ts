import { storeContract } from "../../ports/store.contract.ts";
import { memoryStore } from "./memory.ts";

storeContract("memory", async () => ({ store: memoryStore() }));
