import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { ROOT } from './build-steps.mjs'

const SERVER = path.join(ROOT, 'server')
const subjects = fs
  .readdirSync(SERVER, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'test')
  .map(({ name }) => name)

/** The line of a README that begins with a label; throws when there is none. */
function readLine(subject: string, label: string): string {
  const text = fs.readFileSync(path.join(SERVER, subject, 'README.md'), 'utf8')
  const [, line] = new RegExp(`^- ${label}: (.+)[.]$`, 'm').exec(text) ?? []
  if (line === undefined) throw new Error(`server/${subject}/README.md has no line "${label}".`)
  return line
}

const findNames = (line: string): readonly string[] =>
  [...(line.split(';')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)

const SHIPPED = /[.](ts|tsx|mjs)$/
const NOT_SHIPPED = /[.](test|test-d|spec)[.]tsx?$|\/(test|generated)\/|\/test-[^/]+$/

function listShipped(folder: string): readonly string[] {
  return fs
    .readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name))
    .filter((name) => SHIPPED.test(name) && !NOT_SHIPPED.test(name))
}

/** `subject <- importer`, for imports from other subjects, from app/ and from components/. */
function findImports(): ReadonlySet<string> {
  const found = new Set<string>()
  for (const file of ['server', 'app', 'components'].flatMap(listShipped)) {
    const [top = '', second = ''] = file.split('/')
    const importer = top === 'server' ? second : top
    if (importer.includes('.')) continue
    for (const [, from = ''] of fs
      .readFileSync(path.join(ROOT, file), 'utf8')
      .matchAll(/(?:from|import)\s*\(?'([^']+)'/g)) {
      const target = from.startsWith('@/')
        ? from.slice(2)
        : path.posix.join(path.posix.dirname(file), from)
      const [, subject = ''] = /^server\/([a-z-]+)\//.exec(target) ?? []
      if (subject !== '' && subject !== importer) found.add(`${subject} <- ${importer}`)
    }
  }
  return found
}

test('each table of the schema is owned by exactly one subject', () => {
  const schema = fs.readFileSync(path.join(ROOT, 'prisma/schema.prisma'), 'utf8')
  const models = schema.split(/^}$/m).filter((block) => /^model /m.test(block))
  const tables = models.map((block) => /@@map\("(\w+)"\)/.exec(block)?.[1])
  const owned = subjects.flatMap((subject) => findNames(readLine(subject, 'Tables')))
  expect(tables.length).toBeGreaterThan(40)
  expect([...owned].sort()).toEqual(tables.sort())
})

describe('a subject is imported by the folders that its README lists, and by no other', () => {
  const imports = findImports()
  test.each(subjects.filter((subject) => subject !== 'platform'))(
    'imports of %s match its README',
    (subject) => {
      const importers = [...imports]
        .filter((pair) => pair.startsWith(`${subject} <- `))
        .map((pair) => pair.slice(subject.length + 4))
      expect(importers.sort()).toEqual([...findNames(readLine(subject, 'Imported by'))].sort())
    },
  )
})

test.each(subjects)('the README of %s names files that exist', (subject) => {
  const files = [...readLine(subject, 'Start reading').matchAll(/`([^`]+)`/g)]
  expect(files.length).toBeGreaterThan(0)
  for (const [, file = ''] of files)
    expect(fs.existsSync(path.join(SERVER, subject, file)), file).toBe(true)
  expect(readLine(subject, 'Owns')).toMatch(/^\w/)
  expect(readLine(subject, 'Notifications')).toMatch(/^\w/)
})
