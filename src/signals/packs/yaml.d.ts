/** Rule packs are bundled as text, so that the product is one file. */
declare module "*.yaml" {
  const text: string;
  export default text;
}
