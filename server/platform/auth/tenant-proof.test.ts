// Every query about one project takes an id that is authorized (ids.ts): no exported function of a *.sql.ts file takes a bare one, none
// takes the id of an environment without the project, and no Prisma statement changes a row by its id alone.
import fs from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const SERVER = path.resolve(import.meta.dirname, '../..')
const PROOF = /\b(AuthorizedProjectId|InProject|RowInProject|EnvironmentPlace|PointerPlace)\b/

function isBareId(node: ts.Node): boolean {
  return (
    (ts.isParameter(node) || ts.isPropertySignature(node)) &&
    /^projectId\??: string\b/.test(node.getText().replace(/^readonly /, ''))
  )
}

function containsBareId(node: ts.Node): boolean {
  return isBareId(node) || (ts.forEachChild(node, (child) => containsBareId(child)) ?? false)
}

function describeParameters(declared: ts.FunctionDeclaration, file: ts.SourceFile): string {
  const text = declared.parameters.map((parameter) => parameter.getText()).join()
  const named = file.statements
    .filter((each) => ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each))
    .filter(({ name }) => new RegExp(`\\b${name.text}\\b`).test(text))
  return [text, ...named.map((each) => each.getText())].join()
}

/** An environment belongs to one project; its id alone would be taken from anyone. */
function takesLoneEnvironment(declared: ts.FunctionDeclaration, file: ts.SourceFile): boolean {
  const text = describeParameters(declared, file)
  return /\benvironmentId\??: string\b/.test(text) && !PROOF.test(text)
}

function findUnproved(text: string): readonly string[] {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true)
  return file.statements
    .filter(ts.isFunctionDeclaration)
    .filter(({ modifiers }) => modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
    .filter(
      (declared) =>
        declared.parameters.some(containsBareId) || takesLoneEnvironment(declared, file),
    )
    .map(({ name }) => name?.text ?? '')
}

function readProjectTables(): ReadonlySet<string> {
  const schema = fs.readFileSync(path.join(SERVER, '../prisma/schema.prisma'), 'utf8')
  const models = [...schema.matchAll(/^model (\w+) \{([^}]*)^\}/gm)]
  return new Set(
    models
      .filter(([, , fields]) => /^ +projectId +String\b/m.test(fields ?? ''))
      .map(([, name = '']) => name.charAt(0).toLowerCase() + name.slice(1)),
  )
}

/** Finds updates and deletes that select a row of a project by its id alone. `updateMany` and `deleteMany` may select by other columns. */
function findLoneChanges(text: string, tables: ReadonlySet<string>): readonly string[] {
  return [...text.matchAll(/\.(\w+)\.((?:update|delete)(?:Many)?)\(\{\s*where: (\{[^}]*\})/g)]
    .filter(([, table = '', , where = '']) => tables.has(table) && !where.includes('projectId'))
    .filter(([, , verb = '', where = '']) => !verb.endsWith('Many') || /[{,]\s*id\b/.test(where))
    .map(([, table, verb]) => `${table}.${verb}`)
}

test('the tenant proof finds a bare project id among the parameters of an exported function', () => {
  const unproved = `
    export function one(projectId: string) {}
    export function two(tx: Tx, where: { readonly id: string; readonly projectId?: string }) {}
    export function three(projectId: AuthorizedProjectId): { projectId: string } {}
    function four(projectId: string) {}`
  expect(findUnproved(unproved)).toEqual(['one', 'two'])
})

test('the tenant proof finds the id of an environment without its project among the parameters', () => {
  const unproved = `
    interface Place { readonly environmentId: string; readonly configId: string }
    interface Proved extends InProject { readonly environmentId: string }
    export function one(tx: Tx, environmentId: string) {}
    export function two(tx: Tx, place: Place) {}
    export function three(tx: Tx, place: Proved) {}`
  expect(findUnproved(unproved)).toEqual(['one', 'two'])
})

test('the tenant proof finds a change of a row that does not name the project', () => {
  const changes = `
    tx.rollout.update({ where: { id }, data: { share } })
    tx.rollout.update({ where: { id, projectId }, data: { share } })
    tx.user.delete({ where: { id } })
    tx.rollout.updateMany({ where: { id, state: 'running' }, data: { share } })
    tx.rollout.deleteMany({ where: { ...where, state: 'running' } })`
  const found = ['rollout.update', 'rollout.updateMany']
  expect(findLoneChanges(changes, readProjectTables())).toEqual(found)
})

describe('no query', () => {
  const files = fs
    .readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.sql.ts'))
  const findAll = (find: (text: string) => readonly string[]): readonly string[] =>
    files.flatMap((file) =>
      find(fs.readFileSync(path.join(SERVER, file), 'utf8')).map((name) => `${file}: ${name}`),
    )

  test('takes a bare project id, or an environment without its project', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(findAll(findUnproved)).toEqual([])
  })

  test('changes a row of a project by its id alone', () => {
    const tables = readProjectTables()
    expect(tables.size).toBeGreaterThan(20)
    expect(findAll((text) => findLoneChanges(text, tables))).toEqual([])
  })
})
