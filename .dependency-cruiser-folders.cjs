// No two folders import each other, be it through others. Tests are left out: they may import anything.
const { options } = require("./.dependency-cruiser.cjs");

module.exports = {
  forbidden: [
    { name: "no-folder-circles", severity: "error", scope: "folder", from: {}, to: { circular: true } },
  ],
  options: {
    ...options,
    exclude: { path: "\\.(test|contract|fixture)\\.ts$|^test/(?!fixtures/architecture)" },
  },
};
