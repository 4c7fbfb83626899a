// What may import what: the table in ARCHITECTURE.md, as rules. Tests are free, except that the core's stay
// in the core's world. A fixture tree (test/fixtures/architecture) proves that a violation is reported.
const at = "^(?:test/fixtures/architecture/)?src/";
const ui = "^(?:test/fixtures/architecture/)?ui/";
const tests = "\\.(test|contract|fixture)\\.ts$";

const adapters = "signals|store|channels|forges|recoveries|tasks";

/** Folder → the folders that it may import besides itself. The order is from the ground up: nothing imports upwards. */
const ground = ["core", "ports", "system"];
const world = [
  ...ground,
  "agent",
  "session-log",
  "signals",
  "store",
  "channels",
  "forges",
  "recoveries",
  "tasks",
];
const engine = ["watch", "schedule"];
const mayImport = {
  core: [],
  ports: ["core"],
  system: ["core", "ports"],
  agent: ["system"],
  "session-log": [...ground, "agent"],
  signals: [...ground, "session-log"],
  store: ground,
  channels: ground,
  forges: ground,
  recoveries: ground,
  tasks: ground,
  watch: ["core", "ports"],
  schedule: ground,
  hub: ["core", "ports", "watch"],
  link: ground,
  views: ["core", "watch"],
  home: [...ground, "agent", "store"],
  config: [...world, "schedule", "home"],
  features: [...world, ...engine, "views", "home", "config"],
  service: [...world, ...engine, "views", "home", "config", "features", "hub"],
  web: [...ground, "watch", "views", "hub", "service"],
  tools: [...world, "watch", "home", "config", "features", "service"],
  app: [...world, ...engine, "hub", "link", "views", "home", "config", "features", "service", "web"],
  cli: [...ground, "agent", "views", "home", "config", "features", "service", "tools", "app"],
};

const layers = Object.entries(mayImport).map(([folder, others]) => ({
  name: `${folder}-imports`,
  comment: `src/${folder}/ may import ${["itself", ...others].join(", ")}`,
  severity: "error",
  from: { path: `${at}${folder}/`, pathNot: tests },
  to: { path: at, pathNot: `${at}(${[folder, ...others].join("|")})/` },
}));

module.exports = {
  forbidden: [
    ...layers,
    {
      name: "no-sibling-adapters",
      comment: "an adapter imports the kit, never a sibling; the registry beside the folders names them all",
      severity: "error",
      from: { path: `${at}(${adapters})/([^/]+)/`, pathNot: tests },
      to: { path: `${at}$1/[^/]+/`, pathNot: `${at}$1/($2|kit|screens)/` },
    },
    {
      name: "one-door-to-the-store",
      comment: "a home's database is opened in home/store.ts alone, where a writer must hold the home's lock",
      severity: "error",
      from: { path: at, pathNot: [`${at}store/`, `${at}home/store\\.ts$`, tests] },
      to: { path: `${at}store/(sqlite/(index|database|thread|worker)|postgres/(index|database))\\.ts$` },
    },
    {
      name: "only-what-the-daemon-runs",
      comment: "up and daemon import no other command, so that those are not in the daemon's bundle",
      severity: "error",
      from: { path: `${at}cli/commands/(up|daemon)\\.ts$` },
      to: { path: `${at}cli/commands/`, pathNot: `${at}cli/commands/up\\.ts$` },
    },
    {
      name: "one-spawner",
      comment: "programs are started in system/exec.ts, where each one's environment must be named",
      severity: "error",
      from: { path: at, pathNot: [`${at}system/`, tests] },
      to: { path: "^(node:)?child_process$" },
    },
    {
      name: "one-http-client",
      comment:
        "requests go out through system/http.ts; web/ is the server. architecture.js looks for fetch too",
      severity: "error",
      from: { path: at, pathNot: [`${at}(system|web)/`, tests] },
      to: { path: "^(node:)?(https?|http2)$" },
    },
    {
      name: "core-is-pure",
      comment: "the core touches no Node module and no package but the cron library, and that in one file",
      severity: "error",
      from: { path: `${at}core/`, pathNot: tests },
      to: { dependencyTypes: ["core", "npm", "npm-dev", "npm-no-pkg", "npm-unknown"], pathNot: "croner" },
    },
    {
      name: "cron-in-one-file",
      severity: "error",
      from: { path: at, pathNot: [`${at}core/schedule/cron\\.ts$`, tests] },
      to: { path: "croner" },
    },
    {
      name: "agent-has-no-dependency",
      severity: "error",
      from: { path: `${at}agent/`, pathNot: tests },
      to: { dependencyTypes: ["npm", "npm-dev", "npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "ui-imports",
      comment:
        "the page runs in a browser: it may import itself, types of the product, and code of the core, which is pure",
      severity: "error",
      from: { path: ui, pathNot: tests },
      to: {
        path: `^(?:test/fixtures/architecture/)?(src/(?!core/)|bench/|eval/|test/|scripts/)`,
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "ui-is-for-browsers",
      comment: "no module of Node's, and no package but the two that the page is made with",
      severity: "error",
      from: { path: ui, pathNot: tests },
      to: {
        dependencyTypes: ["core", "npm", "npm-dev", "npm-no-pkg", "npm-unknown"],
        pathNot: "node_modules/(preact|uplot)/",
      },
    },
    {
      name: "nobody-imports-ui",
      comment: "the product serves the built page; it does not contain it",
      severity: "error",
      from: { path: at },
      to: { path: ui },
    },
    { name: "no-circles", severity: "error", from: { path: `${at}|${ui}` }, to: { circular: true } },
    {
      name: "no-tests-in-product",
      severity: "error",
      from: { path: at, pathNot: tests },
      to: { path: tests },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { extensions: [".ts", ".tsx", ".js", ".json"] },
  },
};
