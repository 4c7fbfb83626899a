// The YAML parser, to be imported when it is needed: it is large, and hardly any command reads a config. It is named here
// because a package that is not an ES module gives no names to whoever imports it lazily.
export {
  type Document,
  isMap,
  isNode,
  LineCounter,
  parse,
  parseDocument,
  stringify,
  type YAMLError,
} from "yaml";
