import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { ADAPTERS } from './registry.ts'

const ROOT = path.join(import.meta.dirname, '../../..')
const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8')
const manifest = JSON.parse(read('packages/adapters/package.json'))
const names = ADAPTERS.map(({ name }) => name)

describe('the adapter registry', () => {
  test('lists every folder that has an entry point', () => {
    const folders = fs
      .readdirSync(import.meta.dirname)
      .filter((name) => fs.existsSync(path.join(import.meta.dirname, name, 'index.ts')))
    expect(folders).toEqual(names.toSorted())
  })

  test('names the sub-paths that the package exports', () => {
    const { '.': root, ...exported } = manifest.exports
    expect(root).toBeDefined()
    const expected = names.map((name) => [
      `./${name}`,
      { types: `./dist/${name}/index.d.ts`, default: `./dist/${name}/index.js` },
    ])
    expect(exported).toEqual(Object.fromEntries(expected))
  })

  test('names the peers of the package, which are optional', () => {
    const peers = [...new Set(ADAPTERS.flatMap((adapter) => adapter.peers))].toSorted()
    expect(Object.keys(manifest.peerDependencies)).toEqual(peers)
    expect(manifest.peerDependenciesMeta).toEqual(
      Object.fromEntries(peers.map((peer) => [peer, { optional: true }])),
    )
  })
})

describe('the documents about adapters', () => {
  test('specs/adapters.md has a row for each adapter, in this order', () => {
    const rows = read('specs/adapters.md')
      .split('\n')
      .filter((line) => line.includes('](adapters/') && line.startsWith('| '))
    expect(rows).toEqual(
      ADAPTERS.map(
        ({ name, title, asks }) =>
          `| ${title} | \`/${name}\` | ${asks} | [${name}](adapters/${name}.md) |`,
      ),
    )
  })

  test.each(names)('the page of %s begins with its sub-path', (name) => {
    const [title] = read(`specs/adapters/${name}.md`).split('\n')
    expect(title).toContain(`\`@signalbox/adapters/${name}\``)
  })

  test('the README links the page of each adapter', () => {
    const linked = [...read('README.md').matchAll(/^\|.*$/gm)].flatMap(([row]) =>
      [...row.matchAll(/\(specs\/adapters\/([\w-]+)\.md\)/g)].map(([, name]) => name),
    )
    expect(linked.toSorted()).toEqual(names.toSorted())
  })

  test('the README names each harness that signalbox init sets up', () => {
    const [, first, others] =
      /signalbox init ([\w-]+) --yes +# or ([\w, -]+);/.exec(read('README.md')) ?? []
    const targets = ADAPTERS.flatMap(({ name, init }) => (init === null ? [] : [name]))
    expect([first, ...(others?.split(', ') ?? [])]).toEqual(targets)
  })
})
