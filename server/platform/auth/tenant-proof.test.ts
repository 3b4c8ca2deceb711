// Every query about one project takes an authorized id (scope.ts): no exported function of a *.sql.ts file takes a bare one.
import fs from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const SERVER = path.resolve(import.meta.dirname, '../..')

function isBareId(node: ts.Node): boolean {
  return (
    (ts.isParameter(node) || ts.isPropertySignature(node)) &&
    /^projectId\??: string\b/.test(node.getText().replace(/^readonly /, ''))
  )
}

function containsBareId(node: ts.Node): boolean {
  return isBareId(node) || (ts.forEachChild(node, (child) => containsBareId(child)) ?? false)
}

/** Names of the exported functions that take a bare project id. */
function findUnproved(text: string): readonly string[] {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true)
  return file.statements
    .filter(ts.isFunctionDeclaration)
    .filter(({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .filter(({ parameters }) => parameters.some(containsBareId))
    .map(({ name }) => name?.text ?? '')
}

test('a bare project id among the parameters of an exported function is found', () => {
  const unproved = `
    export function one(projectId: string) {}
    export function two(tx: Tx, where: { readonly id: string; readonly projectId?: string }) {}
    export function three(projectId: AuthorizedProjectId): { projectId: string } {}
    function four(projectId: string) {}`
  expect(findUnproved(unproved)).toEqual(['one', 'two'])
})

test('no query takes a bare project id', () => {
  const files = fs
    .readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql.ts'))
  expect(files.length).toBeGreaterThan(50)
  const unproved = files.flatMap((file) =>
    findUnproved(fs.readFileSync(path.join(SERVER, file), 'utf8')).map(
      (name) => `${file}: ${name}`,
    ),
  )
  expect(unproved).toEqual([])
})
