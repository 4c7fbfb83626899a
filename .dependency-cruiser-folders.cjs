// No two folders import each other, be it through others. A folder within another counts as a part of it, so the rule
// of ui's root is written out. Tests are left out: they may import anything.
const { options } = require("./.dependency-cruiser.cjs");

module.exports = {
  forbidden: [
    { name: "no-folder-circles", severity: "error", scope: "folder", from: {}, to: { circular: true } },
    {
      name: "no-ui-root-imports",
      comment: "the root of the page joins its folders; what they share is in ui/kit",
      severity: "error",
      from: { path: "^(?:test/fixtures/architecture/)?ui/[^/]+/" },
      to: { path: "^(?:test/fixtures/architecture/)?ui/[^/]+$" },
    },
  ],
  options: {
    ...options,
    exclude: { path: "\\.(test|contract|fixture)\\.ts$|^test/(?!fixtures/architecture)" },
  },
};
