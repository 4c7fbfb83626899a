import { join } from "node:path";
import ts from "typescript";

/** What programs import by each name of the package, with the members of each, read from its entry points. */
export function namesOfExports(root: string, entries: Readonly<Record<string, string>>): string[] {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile).config,
    ts.sys,
    root,
  );
  const files = Object.entries(entries).map(([name, file]) => [name, join(root, file)] as const);
  const program = ts.createProgram(
    files.map(([, file]) => file),
    options,
  );
  const checker = program.getTypeChecker();
  return files.flatMap(([name, file]) => {
    const source = program.getSourceFile(file);
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file} exports nothing`);
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const { flags } = exported;
      const symbol = flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const path = `${name} ${exported.name}`;
      return [
        path,
        ...members(symbol).map((member) => `${path}.${member}`),
        ...words(symbol).map((word) => `${path} = ${word}`),
      ];
    });
  });

  function members(symbol: ts.Symbol): string[] {
    const types = symbol.flags & ts.SymbolFlags.Type ? [checker.getDeclaredTypeOfSymbol(symbol)] : [];
    if (symbol.flags & ts.SymbolFlags.Class) types.push(checker.getTypeOfSymbol(symbol));
    return types
      .flatMap((type) => (type.isUnion() ? type.types : [type]))
      .flatMap((type) => checker.getPropertiesOfType(type))
      .filter((member) => member.declarations?.some(isOurs) === true)
      .map((member) => member.name);
  }

  function isOurs(declaration: ts.Declaration): boolean {
    const isPrivate = ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private;
    const { name } = declaration as ts.NamedDeclaration;
    if (isPrivate || (name !== undefined && ts.isPrivateIdentifier(name))) return false;
    return declaration.getSourceFile().fileName.startsWith(join(root, "src"));
  }

  function words(symbol: ts.Symbol): string[] {
    if (!(symbol.flags & ts.SymbolFlags.Type)) return [];
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    return (type.isUnion() ? type.types : [type]).flatMap((each) =>
      each.isStringLiteral() ? [each.value] : [],
    );
  }
}
