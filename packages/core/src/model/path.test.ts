import { describe, expect, it } from 'vitest'
import { listFoldersLeft, normalizePath, type PathContext, pathInDocument } from './path.ts'

const UNKNOWN: PathContext = { workspaceRoot: null, mountPoint: null }
const ROOT: PathContext = { workspaceRoot: '/home/ana/shop', mountPoint: null }
const MOUNTED: PathContext = { workspaceRoot: '/home/ana/shop', mountPoint: '/workspace' }

describe('the normal form of a path', () => {
  it.each([
    ['a.ts', 'a.ts'],
    ['.env', '.env'],
    ['src/..hidden', 'src/..hidden'],
    ['src/a.ts', 'src/a.ts'],
    ['./src//a.ts', 'src/a.ts'],
    ['src/./a.ts', 'src/a.ts'],
    ['src/', 'src'],
    ['src/.', 'src'],
    ['src/lib/../a.ts', 'src/a.ts'],
    ['src/..', '.'],
    ['.', '.'],
    ['./', '.'],
    ['', '.'],
  ])('of the relative path %j is %j, whatever the workspace', (path, normal) => {
    for (const context of [UNKNOWN, ROOT, MOUNTED])
      expect(normalizePath(path, context)).toBe(normal)
  })

  it.each([['..'], ['../a.ts'], ['src/../../a.ts'], ['/..'], ['/home/../../a.ts']])(
    'of %j, which climbs above its start, does not exist',
    (path) => {
      for (const context of [UNKNOWN, ROOT, MOUNTED])
        expect(normalizePath(path, context)).toBeNull()
    },
  )

  it.each([['a\0.ts'], ['/home/ana/shop/a\0.ts'], ['\0'], ['src/a.ts\0']])(
    'of %j, which contains a NUL, does not exist',
    (path) => {
      for (const context of [UNKNOWN, ROOT, MOUNTED])
        expect(normalizePath(path, context)).toBeNull()
    },
  )

  it.each([
    ['/home/ana/shop/src/a.ts', 'src/a.ts'],
    ['/home/ana/shop', '.'],
    ['/home/ana/shop/', '.'],
    ['/home/ana/other/../shop/a.ts', 'a.ts'],
    ['/home/ana/shop/../other/a.ts', null],
    ['/home/ana', null],
    ['/home/ana/shopping/a.ts', null],
    ['/srv/ana/shop/a.ts', null],
    ['/etc/passwd', null],
    ['/', null],
  ])('of the absolute path %j is %j below the root of the workspace', (path, normal) => {
    expect(normalizePath(path, ROOT)).toBe(normal)
  })

  it.each([
    ['/workspace/src/a.ts', 'src/a.ts'],
    ['/workspace', '.'],
    ['/home/ana/shop/src/a.ts', 'src/a.ts'],
    ['/workspaces/a.ts', null],
    ['/src/a.ts', null],
  ])('of the absolute path %j is %j below the root or the mount point', (path, normal) => {
    expect(normalizePath(path, MOUNTED)).toBe(normal)
  })

  it.each([
    ['/src/a.ts', 'src/a.ts'],
    ['/', '.'],
    ['//src//a.ts', 'src/a.ts'],
  ])('of the absolute path %j is %j in an unknown workspace', (path, normal) => {
    expect(normalizePath(path, UNKNOWN)).toBe(normal)
    expect(pathInDocument(path)).toBe(normal)
  })

  it('ignores a root and a mount point that climb above their start', () => {
    expect(normalizePath('/a.ts', { workspaceRoot: '/..', mountPoint: '/../..' })).toBeNull()
    expect(normalizePath('/a.ts', { workspaceRoot: '/..', mountPoint: '/' })).toBe('a.ts')
  })

  it('resolves a root and a mount point', () => {
    const context = { workspaceRoot: '/home//ana/./shop/', mountPoint: '/mnt/../workspace' }
    expect(normalizePath('/home/ana/shop/a.ts', context)).toBe('a.ts')
    expect(normalizePath('/workspace/a.ts', context)).toBe('a.ts')
  })
})

describe('the folders that a path leaves', () => {
  it.each<[string, readonly (string | null)[]]>([
    ['src/a.ts', []],
    ['src/..hidden/a.ts', []],
    ['src/../a.ts', ['src']],
    ['./src/lib/../../a.ts', ['src/lib', 'src']],
    ['src//lib/./../a.ts', ['src/lib']],
    ['src/../src/../a.ts', ['src']],
    ['src/../lib/../a.ts', ['src', 'lib']],
    ['..', [null]],
    ['src/../../a.ts', ['src', null]],
    ['src//../../a.ts', ['src', null]],
    ['src/./../../a.ts', ['src', null]],
    ['../src/../a.ts', [null]],
    ['/home/ana/shop/src/../a.ts', ['src']],
    ['/home/ana/shop/../shop/a.ts', ['.']],
    ['/home/ana/../ana/shop/a.ts', [null]],
  ])('of %j are %j', (path, left) => {
    expect(listFoldersLeft(path, ROOT)).toEqual(left)
  })

  it('the folders that a path leaves are listed up to sixteen, after which the rest is unknown', () => {
    const visit = (count: number) => Array.from({ length: count }, (_, n) => `d${n}/..`).join('/')
    const names = Array.from({ length: 16 }, (_, n) => `d${n}`)
    expect(listFoldersLeft(`${visit(16)}/a.ts`, ROOT)).toEqual(names)
    expect(listFoldersLeft(`${visit(17)}/a.ts`, ROOT)).toEqual([...names, null])
    expect(listFoldersLeft(`${visit(30)}/a.ts`, ROOT)).toEqual([...names, null])
  })
})
