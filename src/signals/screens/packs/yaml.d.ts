/** Rule packs are bundled as data, so that the product is one file and starts without reading YAML. */
declare module "*.yaml" {
  const data: unknown;
  export default data;
}
