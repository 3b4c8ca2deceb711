import { expect, test } from 'vitest'
import { folderCycles } from './folder-cycles.mjs'

const modules = (edges: readonly (readonly [string, string])[]) =>
  edges.map(([source, target]) => ({ source, imports: [target] }))

test('one-way imports between folders are not a cycle at any depth', () => {
  const edges = modules([
    ['a/x/one.ts', 'b/y/two.ts'],
    ['a/three.ts', 'b/four.ts'],
    ['a/x/one.ts', 'a/x/five.ts'],
    ['b/index.ts', 'b/y/two.ts'],
    ['b/y/two.ts', 'b/y/z/six.ts'],
  ])
  expect(folderCycles(edges)).toEqual([])
})

test('two folders that import each other are a cycle, even without a file cycle', () => {
  const [cycle] = folderCycles(
    modules([
      ['a/x/one.ts', 'b/two.ts'],
      ['b/y/three.ts', 'a/four.ts'],
    ]),
  )
  expect(cycle?.map(({ from, to }) => `${from} ${to}`)).toEqual(['a b', 'b a'])
})

test('a file and a folder of one parent that import each other are a cycle', () => {
  const cycles = folderCycles(
    modules([
      ['a/index.ts', 'a/x/one.ts'],
      ['a/x/two.ts', 'a/index.ts'],
    ]),
  )
  expect(cycles[0]?.map(({ example }) => example)).toEqual([
    'a/index.ts -> a/x/one.ts',
    'a/x/two.ts -> a/index.ts',
  ])
})

test('a cycle through three folders of one parent is found', () => {
  const cycles = folderCycles(
    modules([
      ['s/a/1.ts', 's/b/1.ts'],
      ['s/b/2.ts', 's/c/1.ts'],
      ['s/c/2.ts', 's/a/2.ts'],
    ]),
  )
  expect(cycles[0]).toHaveLength(3)
})

test('a folder whose files import from its subfolder, which imports another of its files, is a cycle', () => {
  const [cycle] = folderCycles(
    modules([
      ['a/high.ts', 'a/x/one.ts'],
      ['a/x/two.ts', 'a/low.ts'],
    ]),
  )
  expect(cycle?.map(({ from, to }) => `${from} ${to}`)).toEqual(['a a/x', 'a/x a'])
})
