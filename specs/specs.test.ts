import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')
/** Folders of this repository. Other paths, such as those of a harness's settings, are not checked. */
const OURS = ['app', 'bench', 'components', 'e2e', 'examples', 'packages', 'prisma', 'scripts']
const PATH = new RegExp(`^(?:${[...OURS, 'server', 'specs'].join('|')})/[\\w./-]+\\.\\w+$`)

const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'bench/README.md',
  'packages/testkit/harnesses/README.md',
  ...fs
    .readdirSync(path.join(ROOT, 'specs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('specs', name)),
]

/** Paths that the document names and links to, relative to the root. */
function namedIn(document: string): readonly string[] {
  const text = fs.readFileSync(path.join(ROOT, document), 'utf8')
  const named = [...text.matchAll(/`([^`\s*]+)`/g)].map(([, name = '']) => name)
  const linked = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link = '']) => link)
  return [
    ...named.filter((name) => PATH.test(name) || /\/.*\.test\.ts$/.test(name)),
    ...linked
      .filter((link) => !/^[a-z]+:/.test(link))
      .map((link) => path.join(path.dirname(document), link)),
  ]
}

test.each(documents)('every file that %s names exists', (document) => {
  const missing = namedIn(document).filter((name) => !fs.existsSync(path.join(ROOT, name)))
  expect(missing).toEqual([])
})
