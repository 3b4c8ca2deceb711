// @ts-check
// Docstrings of the interfaces in packages/core/src/model, for the reference of events.
import fs from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { ROOT } from './build-steps.mjs'

/** @typedef {{ name: string, text: string, example: string, type: ts.TypeNode }} Member */

/** @type {Map<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>} */
const declared = new Map()
for (const name of ['event', 'effect', 'fact']) {
  const file = path.join(ROOT, `packages/core/src/model/${name}.ts`)
  const source = ts.createSourceFile(
    file,
    fs.readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  for (const one of source.statements)
    if (ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one))
      declared.set(one.name.text, one)
}

/** @param {ts.Node} node */
function readDocstring(node) {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const tag = docs.flatMap(({ tags = [] }) => tags).find((one) => one.tagName.text === 'example')
  const read = (/** @type {ts.JSDoc | ts.JSDocTag | undefined} */ one) =>
    ts.getTextOfJSDocComment(one?.comment) ?? ''
  return { text: read(docs[0]), example: read(tag) }
}

/** @param {readonly ts.TypeElement[]} members @returns {readonly Member[]} */
function listOwn(members) {
  return members.filter(ts.isPropertySignature).map((member) => {
    const name = ts.isStringLiteral(member.name) ? member.name.text : member.name.getText()
    if (member.type === undefined) throw new Error(`${name} has no type.`)
    return { name, ...readDocstring(member), type: member.type }
  })
}

/** Name of the interface of a value, or of the entries of a list or map; null: its type has no name. @param {ts.TypeNode} type @returns {string | null} */
export function findShape(type) {
  if (ts.isTypeOperatorNode(type)) return findShape(type.type)
  if (ts.isArrayTypeNode(type)) return findShape(type.elementType)
  if (ts.isUnionTypeNode(type))
    return type.types.map(findShape).find((name) => name !== null) ?? null
  if (ts.isTypeLiteralNode(type)) {
    const [entry] = type.members.filter(ts.isIndexSignatureDeclaration)
    return entry === undefined ? null : findShape(entry.type)
  }
  if (!ts.isTypeReferenceNode(type)) return null
  const found = declared.get(type.typeName.getText())
  return found !== undefined && ts.isInterfaceDeclaration(found) ? found.name.text : null
}

/** @param {ts.TypeNode} type @returns {readonly Member[]} */
export function listMembers(type) {
  if (ts.isTypeOperatorNode(type)) return listMembers(type.type)
  if (ts.isArrayTypeNode(type)) return listMembers(type.elementType)
  if (ts.isTypeLiteralNode(type)) return listOwn([...type.members])
  if (ts.isIntersectionTypeNode(type)) return type.types.flatMap(listMembers)
  if (ts.isTypeReferenceNode(type)) return listDeclared(type.typeName.getText())
  return []
}

/** Its own members and those that it extends. @param {string} name of an interface or an alias @returns {readonly Member[]} */
export function listDeclared(name) {
  const found = declared.get(name)
  if (found === undefined) return []
  if (ts.isTypeAliasDeclaration(found)) return listMembers(found.type)
  const bases = found.heritageClauses?.flatMap(({ types }) => types) ?? []
  const inherited = bases.flatMap(({ expression }) => listDeclared(expression.getText()))
  return [...inherited, ...listOwn([...found.members])]
}
